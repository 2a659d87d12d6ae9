-- Shuts out older holders, then reads the views of a page.
-- KEYS[1]  hash of the page: views, fence
-- KEYS[2]  set of counted requests
-- ARGV[1]  fencing token of the caller's lock; empty if there is none, which rejects no caller
-- ARGV[2]  id of the request
-- returns  "done <views>", "counted <views>" (already counted) or "overtaken <views>" (a newer
--          token is registered)
local page = KEYS[1]
local counted = KEYS[2]
local token = ARGV[1]
local request = ARGV[2]

local views = redis.call('HGET', page, 'views') or '0'
if token ~= '' then
  local newest = tonumber(redis.call('HGET', page, 'fence') or '0')
  if tonumber(token) < newest then
    return 'overtaken ' .. views
  end
  redis.call('HSET', page, 'fence', token)
end
if redis.call('SISMEMBER', counted, request) == 1 then
  return 'counted ' .. views
end
return 'done ' .. views
