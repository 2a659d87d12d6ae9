-- Takes a lock away from whoever has it, or ends its minimum time, if it is still the one that an operator saw: signals the
-- instance that waits longest, and tells the instance that had it.
--
-- KEYS[1]  lock: string, as release.lua has it. Called <prefix>{<tag>}
-- KEYS[2]  waiters: sorted set of the instances that wait
-- ARGV[1]  the last fencing token of the owner, as it was seen
-- ARGV[2]  name of the lock in messages to mailboxes; absent or empty if that is the tag
-- ARGV[3]  present if the server does not count the listeners at other servers, as release.lua has it
--
-- Returns a status:
--   3, 2, 1  taken away now, as release.lua says it
--   0        the lock is free, or another fencing token was granted; nothing was changed
--  -1        whoever has it is none of these clients, and so was not granted the fencing token; nothing was changed
--
-- The instance that had it hears '%~', the SHA-1 of the owner's token in hex, ':' and the name: only who knows the token could
-- have said that. That it cannot be told is no failure: it finds out with its next renewal.

local lock, waiters = KEYS[1], KEYS[2]
local fencing, name, uncounted = ARGV[1], ARGV[2] or '', ARGV[3]

local SIGNALLED, UNSIGNALLED, DONE, STALE, FOREIGN = 3, 2, 1, 0, -1
local mayWait = true

local owner = redis.call('GET', lock)
if not owner then
  return STALE
end
local granted, token = string.match(owner, '^(' .. string.rep('%d', 16) .. ')@?%d* (.*)$')
local holder, after = string.match(token or '', '^([0-9a-f]+):%d+(.?)')
local kept = token == '%kept'
if not kept and (not holder or (after ~= '' and after ~= '|')) then
  return FOREIGN
end
if tonumber(granted) ~= tonumber(fencing) then
  return STALE
end
redis.call('DEL', lock)
-- include signal_next.lua: leaves woken
if not kept then
  local prefix, tag = string.match(lock, '^([^{]*){([^}]*)}')
  redis.pcall('PUBLISH', prefix .. 'mailbox:' .. holder, '%~' .. redis.sha1hex(token) .. ':' .. (name ~= '' and name or tag))
end
return woken
