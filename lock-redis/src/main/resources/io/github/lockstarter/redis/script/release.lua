-- Frees the lock if the token has it, and signals the instance that waits longest. An instance that goes on waiting
-- itself is queued behind all others, if one of them was signalled.
-- An instance is the part of its tokens before the last colon.
--
-- KEYS[1]  lock: string, the token of the owner. Called <prefix>{<tag>}
-- KEYS[2]  fence: string, the last fencing token that was granted
-- KEYS[3]  waiters: sorted set of the instances that wait; the score is their position, in microseconds
-- ARGV[1]  token of the hold
-- ARGV[2]  last fencing token of the hold; 0 if it is not known
-- ARGV[3]  patience: how long to keep the instance in the queue, in ms; absent or empty if it does not go on waiting
-- ARGV[4]  name of the lock as a mailbox, <prefix>mailbox:<instance>, is told it; absent or empty if that is the tag
-- ARGV[5]  present if the server does not count the listeners at other servers, as a node of a cluster: then an instance
--          counts as signalled although it may be dead, and those behind it look by themselves
--
-- Returns a status:
--   3  as 1, and an instance was signalled
--   2  as 1, but the signal failed
--   1  released now, or free and nobody was granted it since: an earlier copy of this command released it
--   0  the token does not have the lock; nothing was changed

local lock, fence, waiters = KEYS[1], KEYS[2], KEYS[3]
local token, fencing, patience, name, uncounted = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]

local SIGNALLED, UNSIGNALLED, DONE, NOT_HELD = 3, 2, 1, 0

local owner = redis.pcall('GET', lock)
if type(owner) == 'table' and string.sub(owner.err, 1, 9) ~= 'WRONGTYPE' then
  return owner
end
if owner == token then
  redis.call('DEL', lock)
  patience = patience and tonumber(patience)
  local instance = patience and string.match(token, '^(.*):')
  if patience then
    -- A place from before is spent: the instance had the lock since.
    redis.pcall('ZREM', waiters, instance)
  end
  -- include signal_next.lua: leaves woken
  if patience and woken == SIGNALLED then
    local now = redis.call('TIME')
    redis.pcall('ZADD', waiters, now[1] * 1000000 + now[2], instance)
    if redis.call('PTTL', waiters) < patience then
      redis.pcall('PEXPIRE', waiters, patience)
    end
  end
  return woken
end
if not owner and fencing ~= '0' and redis.pcall('GET', fence) == fencing then
  return DONE
end
return NOT_HELD
