-- Frees each lock whose token has it, and signals the instance that waits longest for it: the common case of release, without a
-- minimum time and for instances that do not go on waiting. Nothing is done for a lock that the token does not have, and
-- release says why.
-- An instance is the part of its tokens before the last colon.
--
-- For each lock i:
-- KEYS[2 * i - 1]  lock: string, as release has it. Called <prefix>{<tag>}
-- KEYS[2 * i]      waiters: sorted set of the instances that wait; the score is their position, in microseconds
-- ARGV[2 * i - 1]  token of the hold
-- ARGV[2 * i]      name of the lock as a mailbox, <prefix>mailbox:<instance>, is told it; empty if that is the tag
--
-- Returns for each lock, in their order, a status:
--   3  as 1, and an instance was signalled
--   2  as 1, but the signal failed
--   1  released now
--   0  the token does not have the lock, or the server refused a command; nothing was changed

-- Where the token begins in what is stored.
local TOKEN = 18
local statuses = {}
for i = 1, #KEYS / 2 do
  local lock, waiters, token, name = KEYS[2 * i - 1], KEYS[2 * i], ARGV[2 * i - 1], ARGV[2 * i]
  local SIGNALLED, UNSIGNALLED, DONE, NOT_HELD = 3, 2, 1, 0
  local uncounted = false
  statuses[i] = NOT_HELD
  local owner = redis.pcall('GET', lock)
  local isHeld = type(owner) == 'string' and string.sub(owner, TOKEN) == token
  if isHeld and redis.pcall('DEL', lock) == 1 then
    -- include signal_next.lua: leaves woken
    statuses[i] = woken
  end
end
return statuses
