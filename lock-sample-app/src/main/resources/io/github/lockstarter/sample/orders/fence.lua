-- Registers a fencing token at an order, before it is read: from now on the store refuses older ones.
-- KEYS[1]  hash of the order
-- ARGV[1]  fencing token of the caller's lock
-- returns  "ok", "overtaken" (a newer token is registered) or "missing" (there is no such order)
local order = KEYS[1]
local token = tonumber(ARGV[1])

if redis.call('EXISTS', order) == 0 then
  return 'missing'
end
local newest = tonumber(redis.call('HGET', order, 'fence') or '0')
if token < newest then
  return 'overtaken'
end
redis.call('HSET', order, 'fence', ARGV[1])
return 'ok'
