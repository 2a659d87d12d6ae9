-- Writes a shipment into an order, unless a newer fencing token has been registered since.
-- KEYS[1]  hash of the order
-- ARGV[1]  fencing token of the caller's lock
-- ARGV[2]  tracking number
-- returns  "ok", "overtaken" (a newer token is registered; nothing written) or "missing" (there is no such order)
local order = KEYS[1]
local token = tonumber(ARGV[1])
local tracking = ARGV[2]

if redis.call('EXISTS', order) == 0 then
  return 'missing'
end
local newest = tonumber(redis.call('HGET', order, 'fence') or '0')
if token < newest then
  return 'overtaken'
end
redis.call('HSET', order, 'fence', ARGV[1], 'tracking', tracking, 'shippedWith', ARGV[1])
return 'ok'
