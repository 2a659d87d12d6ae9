-- Puts a product on sale, once.
-- KEYS[1]  hash of the sale
-- ARGV[1]  how many there are
-- returns  "ok" or "exists" (it is on sale already; nothing written)
local sale = KEYS[1]
local stock = ARGV[1]

if redis.call('EXISTS', sale) == 1 then
  return 'exists'
end
redis.call('HSET', sale, 'stock', stock, 'left', stock)
return 'ok'
