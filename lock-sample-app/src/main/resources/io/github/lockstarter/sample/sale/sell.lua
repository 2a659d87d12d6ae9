-- Writes a purchase, unless a newer fencing token has been registered since the sale was read. If the client repeats
-- an executed call after losing the connection, the repetition writes nothing and returns the reply of the first call.
-- KEYS[1]  hash of the sale
-- KEYS[2]  hash of its buyers, each with the fencing token of the purchase, which is unique to it
-- ARGV[1]  fencing token of the caller's lock
-- ARGV[2]  remaining stock after the purchase
-- ARGV[3]  the buyer
-- returns  "ok" (this purchase is written), or, without writing: "bought" (the buyer has one from another purchase),
--          "overtaken" (a newer token is registered), "missing" (the product is not on sale)
local sale = KEYS[1]
local buyers = KEYS[2]
local token = tonumber(ARGV[1])
local left = ARGV[2]
local buyer = ARGV[3]

if redis.call('EXISTS', sale) == 0 then
  return 'missing'
end
local bought = redis.call('HGET', buyers, buyer)
if bought then
  return bought == ARGV[1] and 'ok' or 'bought'
end
local newest = tonumber(redis.call('HGET', sale, 'fence') or '0')
if token < newest then
  return 'overtaken'
end
redis.call('HSET', sale, 'fence', ARGV[1], 'left', left)
redis.call('HSET', buyers, buyer, ARGV[1])
return 'ok'
