-- Takes a lock away from whoever has it, or ends its minimum time, if it is still the one that an operator saw: signals the
-- instance that waits longest, and tells the instance that had it.
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
if redis.call('GET', fence) ~= fencing then
  return STALE
end
name = name or ''
local owner = redis.call('GET', lock)
if owner then
  local holder, after = string.match(owner, '^([0-9a-f]+):%d+(.?)')
  local kept = owner == '%kept'
  if not kept and (not holder or (after ~= '' and after ~= '|')) then
    return FOREIGN
  end
  redis.call('DEL', lock)
  -- include signal_next.lua: leaves woken
  if not kept then
    local prefix, tag = string.match(lock, '^([^{]*){(.*)}$')
    redis.pcall('PUBLISH', prefix .. 'mailbox:' .. holder, '%~' .. redis.sha1hex(owner) .. ':' .. (name ~= '' and name or tag))
  end
  return woken
end
return DONE
