-- Writes a purchase, unless a newer fencing token has been registered since the sale was read.
-- KEYS[1]  hash of the sale
-- KEYS[2]  set of its buyers
-- ARGV[1]  fencing token of the caller's lock
-- ARGV[2]  what is left after the purchase
-- ARGV[3]  the buyer
-- returns  "ok", "overtaken" (a newer token is registered; nothing written) or "missing" (the product is not on sale)
local sale = KEYS[1]
local buyers = KEYS[2]
local token = tonumber(ARGV[1])
local left = ARGV[2]
local buyer = ARGV[3]

if redis.call('EXISTS', sale) == 0 then
  return 'missing'
end
local newest = tonumber(redis.call('HGET', sale, 'fence') or '0')
if token < newest then
  return 'overtaken'
end
redis.call('HSET', sale, 'fence', ARGV[1], 'left', left)
redis.call('SADD', buyers, buyer)
return 'ok'
