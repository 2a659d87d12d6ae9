-- Ends the hold of a reader, in whatever slot of readers its token has. The last reader frees the gate, and signals the
-- longest waiting instance.
--
-- KEYS[i]            slot of readers, see acquire_read.lua
-- KEYS[readers + 1]  gate, see acquire_read.lua
-- KEYS[readers + 2]  waiters: sorted set of the waiting instances; the score is the position in microseconds
-- ARGV[1]  token of the hold, or of an attempt; of a revocation, all that is stored in the slot
-- ARGV[2]  the lock's name in messages to mailboxes; absent or empty if it is the tag
-- ARGV[3]  not empty if PUBLISH does not count subscribers of other servers
-- ARGV[4]  'revoked' for an operator who revokes the hold: its owner is notified, as by release.lua
-- ARGV[5]  absent, or a time in ms: a last reader's instance is requeued for it, as by release.lua
--
-- Returns a status, as release.lua for a single lock:
--   3, 2  the last reader left
--   1     the reader left; others read, or nobody waits
--  -1     the token has no slot; nothing was changed

local readers = #KEYS - 2
local slots, gate, waiters = {unpack(KEYS, 1, readers)}, KEYS[readers + 1], KEYS[readers + 2]
local token, name, uncounted, revokes, patience = ARGV[1], ARGV[2], ARGV[3], ARGV[4] == 'revoked', tonumber(ARGV[5])

-- Maximum number of instances to signal; later ones poll.
local TRIES = 16
local SIGNALLED, UNSIGNALLED, DONE, NO_SLOT = 3, 2, 1, -1
uncounted = uncounted and uncounted ~= ''

local own, others = nil, false
for i, reader in ipairs(redis.call('MGET', unpack(slots))) do
  local isOwn = reader and string.sub(reader, -#token) == token
  own = isOwn and slots[i] or own
  others = others or (reader and not isOwn)
end
if not own then
  return NO_SLOT
end
redis.call('DEL', own)
local stored = redis.pcall('GET', gate)
local isLast = not others and type(stored) == 'string' and string.sub(stored, 18) == '%read'
if isLast then
  redis.call('DEL', gate)
end
local lock, mayWait, leaves, instance = gate, isLast, nil, string.match(token, '^(.*):')
local requeues = isLast and patience
if requeues then
  redis.pcall('ZREM', waiters, instance)
end
-- include signal.lua: leaves woken and unsent
-- include revocation.lua: leaves unsent
if requeues and (woken == SIGNALLED or unsent) then
  -- include requeue.lua
end
return unsent and woken .. ' ' .. unsent or woken
