-- Frees each lock whose token has it, and signals the instance that waits longest for it, each as release does: without a minimum
-- time and for instances that do not go on waiting. What is the same for all locks is one command for all of them.
-- An instance is the part of its tokens before the last colon.
--
-- For each lock i:
-- KEYS[i]          lock: string, as release has it. Called <prefix>{<tag>}
-- KEYS[count + i]  waiters: sorted set of the instances that wait; the score is their position, in microseconds
-- ARGV[2 * i - 1]  token of the hold
-- ARGV[2 * i]      name of the lock as a mailbox, <prefix>mailbox:<instance>, is told it; empty if that is the tag
--
-- Returns for each lock, in their order, a status:
--   3  as 1, and an instance was signalled
--   2  as 1, but the signal failed
--   1  released now
--   0  another owner has the lock, or it is kept; nothing was changed
--  -1  the lock is free; nothing was changed
-- Any error means that nothing was changed.

local count = #KEYS / 2

local SIGNALLED, UNSIGNALLED, DONE, NOT_HELD, FREE = 3, 2, 1, 0, -1

-- Of a key of another type, MGET gives nothing.
local owners = redis.call('MGET', unpack(KEYS, 1, count))
local someWait = redis.call('EXISTS', unpack(KEYS, count + 1)) > 0
local held, statuses = {}, {}
for i = 1, count do
  local lock, token = KEYS[i], ARGV[2 * i - 1]
  local owner = owners[i]
  if owner and string.sub(owner, -#token) == token then
    statuses[i] = DONE
    held[#held + 1] = lock
  elseif owner or redis.call('EXISTS', lock) > 0 then
    statuses[i] = NOT_HELD
  else
    statuses[i] = FREE
  end
end
if #held > 0 then
  redis.call('DEL', unpack(held))
end
if someWait then
  for i = 1, count do
    local lock, waiters, name = KEYS[i], KEYS[count + i], ARGV[2 * i]
    local uncounted = false
    if statuses[i] == DONE then
      -- include signal_next.lua: leaves woken
      statuses[i] = woken
    end
  end
end
return statuses
