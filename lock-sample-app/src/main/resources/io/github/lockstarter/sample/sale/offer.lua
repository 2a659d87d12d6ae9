-- Puts a product on sale, once.
-- KEYS[1]  hash of the sale
-- ARGV[1]  initial stock
-- returns  "ok" or "exists" (already on sale; nothing is written)
local sale = KEYS[1]
local stock = ARGV[1]

if redis.call('EXISTS', sale) == 1 then
  return 'exists'
end
redis.call('HSET', sale, 'stock', stock, 'left', stock)
return 'ok'
