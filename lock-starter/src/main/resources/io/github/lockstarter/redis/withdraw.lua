-- Ends the wait of an instance: takes it out of the queue and frees the lock if its token has it. If the lock is free
-- then, the signal of the last release may have been spent on this instance, so the next one is signalled.
-- An instance is the part of its tokens before the last colon.
--
-- KEYS[1]  lock: string, the token of the owner. Called <prefix>{<tag>}
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
-- How many instances to try if nobody listens for the first ones; the rest is left to their own look.
local TRIES = 16

local owner = redis.pcall('GET', lock)
if type(owner) == 'table' and string.sub(owner.err, 1, 9) ~= 'WRONGTYPE' then
  return owner
end
-- Whatever else the waiters key may hold, this instance is not in it.
redis.pcall('ZREM', waiters, string.match(token, '^(.*):'))
if owner == token then
  redis.call('DEL', lock)
  owner = false
end
if not owner then
  -- Signals the instance that waits longest. One that nobody listens for is dead: the next one is tried.
  -- A failure is none of the caller's: the lock is free, and waiters look again by themselves.
  local woken = DONE
  for _ = 1, TRIES do
    local longest = redis.pcall('ZPOPMIN', waiters)
    if longest.err then
      woken = UNSIGNALLED
      break
    end
    if not longest[1] then
      break
    end
    local prefix, tag = string.match(lock, '^([^{]*){(.*)}$')
    local receivers = redis.pcall('PUBLISH', prefix .. 'mailbox:' .. longest[1], name ~= '' and name or tag)
    if type(receivers) == 'table' then
      woken = UNSIGNALLED
      break
    end
    if receivers > 0 or uncounted then
      woken = SIGNALLED
      break
    end
  end
  return woken
end
return DONE
