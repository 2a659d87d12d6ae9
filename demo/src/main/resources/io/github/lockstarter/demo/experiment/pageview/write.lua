-- Writes the views of a page, unless a newer fencing token has been registered since, and records the request.
-- KEYS[1]  hash of the page: views, fence
-- KEYS[2]  set of counted requests
-- ARGV[1]  fencing token of the caller's lock; without one, empty and the write is unconditional
-- ARGV[2]  id of the request
-- ARGV[3]  views to write
-- ARGV[4]  seconds to keep counted requests
-- returns  "done <views>", "counted <views>" (already counted; nothing is written) or
--          "overtaken <views>" (a newer token is registered; nothing is written)
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
