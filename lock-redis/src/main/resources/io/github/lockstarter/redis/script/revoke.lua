-- Revokes a lock, or ends its minimum time, if its fencing token is still the one that the operator saw; signals the
-- longest waiting instance, and notifies the owner.
--
-- KEYS[1]  lock, <prefix>{<tag>}: string, see release.lua
-- KEYS[2]  waiters: sorted set of the waiting instances
-- ARGV[1]  the owner's last fencing token that the operator saw
-- ARGV[2]  the lock's name in mailbox messages; absent or empty if it is the tag
-- ARGV[3]  present if PUBLISH does not count subscribers of other servers, see release.lua
--
-- Returns a status:
--   3, 2, 1  revoked, see release.lua
--   0        the lock is free, or has another fencing token; nothing was changed
--  -1        the owner is not a client of this library; nothing was changed
--
-- The owner's instance receives '%~', the SHA-1 of its token in hex, ':' and the name; the SHA-1 proves that the sender
-- knows the token. A failed message is ignored: the owner detects the loss with its next renewal.

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
