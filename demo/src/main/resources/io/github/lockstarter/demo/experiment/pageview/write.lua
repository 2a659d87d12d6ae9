-- Writes the views of a page, unless a newer fencing token has been registered since, and notes the request as counted.
-- KEYS[1]  hash of the page: views, fence
-- KEYS[2]  set of the requests that have been counted
-- ARGV[1]  fencing token of the caller's lock; empty without one, and whatever is there is overwritten
-- ARGV[2]  id of the request
-- ARGV[3]  views to write
-- ARGV[4]  seconds for which requests are remembered
-- returns  "done <views>", "counted <views>" (this request has been counted before; nothing written) or
--          "overtaken <views>" (a newer token is registered; nothing written)
local page = KEYS[1]
local counted = KEYS[2]
local token = ARGV[1]
local request = ARGV[2]
local views = ARGV[3]
local memory = ARGV[4]

local stored = redis.call('HGET', page, 'views') or '0'
if token ~= '' then
  local newest = tonumber(redis.call('HGET', page, 'fence') or '0')
  if tonumber(token) < newest then
    return 'overtaken ' .. stored
  end
end
if redis.call('SADD', counted, request) == 0 then
  return 'counted ' .. stored
end
redis.call('EXPIRE', counted, memory)
redis.call('HSET', page, 'views', views)
return 'done ' .. views
