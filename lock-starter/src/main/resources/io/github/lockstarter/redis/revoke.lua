-- Takes a lock away from whoever has it, if it is still the one that an operator saw: signals the instance that waits
-- longest, and tells the instance that had it.
-- An instance is the part of its tokens before the last colon.
--
-- KEYS[1]  lock: string, the token of the owner. Called <prefix>{<tag>}
-- KEYS[2]  fence: string, the last fencing token that was granted
-- KEYS[3]  waiters: sorted set of the instances that wait; the score is their position, in microseconds
-- ARGV[1]  the last fencing token, as it was seen
-- ARGV[2]  name of the lock as a mailbox, <prefix>mailbox:<instance>, is told it; absent or empty if that is the tag
-- ARGV[3]  present if the server does not count the listeners at other servers, as a node of a cluster
--
-- Returns a status:
--   3  as 1, and an instance was signalled
--   2  as 1, but the signal failed
--   1  free: taken away now, or nobody had it, and nobody was granted it since
--   0  another fencing token was granted, or none; nothing was changed
--  -1  whoever has it is none of these clients, and so was not granted the fencing token; nothing was changed
--
-- The instance that had it hears '%~', the SHA-1 of the owner's token in hex, ':' and the name: only who knows the token could
-- have said that. That it cannot be told is no failure: it finds out with its next renewal.

local lock, fence, waiters = KEYS[1], KEYS[2], KEYS[3]
local fencing, name, uncounted = ARGV[1], ARGV[2], ARGV[3]

local SIGNALLED, UNSIGNALLED, DONE, STALE, FOREIGN = 3, 2, 1, 0, -1
-- How many instances to try if nobody listens for the first ones; the rest is left to their own look.
local TRIES = 16

if redis.call('GET', fence) ~= fencing then
  return STALE
end
name = name or ''
local owner = redis.call('GET', lock)
if owner then
  local holder, after = string.match(owner, '^([0-9a-f]+):%d+(.?)')
  if not holder or (after ~= '' and after ~= '|') then
    return FOREIGN
  end
  redis.call('DEL', lock)
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
  local prefix, tag = string.match(lock, '^([^{]*){(.*)}$')
  redis.pcall('PUBLISH', prefix .. 'mailbox:' .. holder, '%~' .. redis.sha1hex(owner) .. ':' .. (name ~= '' and name or tag))
  return woken
end
return DONE
