-- Registers a fencing token before the sale is read; the store rejects older tokens from then on.
-- KEYS[1]  hash of the sale
-- ARGV[1]  fencing token of the caller's lock
-- returns  "ok", "overtaken" (a newer token is registered) or "missing" (the product is not on sale)
local sale = KEYS[1]
local token = tonumber(ARGV[1])

if redis.call('EXISTS', sale) == 0 then
  return 'missing'
end
local newest = tonumber(redis.call('HGET', sale, 'fence') or '0')
if token < newest then
  return 'overtaken'
end
redis.call('HSET', sale, 'fence', ARGV[1])
return 'ok'
