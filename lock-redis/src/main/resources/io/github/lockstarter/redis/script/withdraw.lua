-- Ends the wait of an instance: takes it out of the queue and frees the lock if its token has it. If the lock is free
-- then, or kept, the signal of the last release may have been spent on this instance, so the next one is signalled:
-- it learns until when the lock is kept.
-- An instance is the part of its tokens before the last colon.
--
-- KEYS[1]  lock: string, as acquire has it. Called <prefix>{<tag>}
-- KEYS[2]  waiters: sorted set of the instances that wait
-- ARGV[1]  token of the last attempt
-- ARGV[2]  name of the lock as a mailbox, <prefix>mailbox:<instance>, is told it; absent or empty if that is the tag
-- ARGV[3]  present if the server does not count the listeners at other servers, as a node of a cluster: then an instance
--          counts as signalled although it may be dead, and those behind it look by themselves
--
-- Returns a status:
--   3  as 1, and an instance was signalled
--   2  as 1, but the signal failed
--   1  the instance does not wait, and the token does not have the lock

local lock, waiters = KEYS[1], KEYS[2]
local token, name, uncounted = ARGV[1], ARGV[2], ARGV[3]

local SIGNALLED, UNSIGNALLED, DONE = 3, 2, 1

-- Whatever else a key may hold, it is neither the token nor the queue of the instance.
local function isRefused(reply)
  return type(reply) == 'table' and string.sub(reply.err, 1, 9) ~= 'WRONGTYPE'
end

local owner = redis.pcall('GET', lock)
if isRefused(owner) then
  return owner
end
local removed = redis.pcall('ZREM', waiters, string.match(token, '^(.*):'))
if isRefused(removed) then
  return removed
end
if type(owner) == 'string' and string.sub(owner, -#token) == token then
  redis.call('DEL', lock)
  owner = false
end
local isKept = type(owner) == 'string' and string.find(owner, ' %kept', -6, true)
if not owner or isKept then
  -- include signal_next.lua: leaves woken
  return woken
end
return DONE
