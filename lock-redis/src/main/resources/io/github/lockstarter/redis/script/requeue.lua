-- Queues an instance behind all others, see release.lua.
-- Uses waiters, instance and patience.
local now = redis.call('TIME')
redis.pcall('ZADD', waiters, now[1] * 1000000 + now[2], instance)
if redis.call('PTTL', waiters) < patience then
  redis.pcall('PEXPIRE', waiters, patience)
end
