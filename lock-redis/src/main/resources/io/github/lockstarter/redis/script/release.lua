-- Frees the lock if the token has it, or keeps it for the rest of its minimum time, and signals the instance that waits
-- longest. An instance that goes on waiting itself is queued behind all others, if one of them was signalled or the lock is
-- kept.
-- An instance is the part of its tokens before the last colon.
--
-- KEYS[1]  lock: string, as acquire has it; with '%kept', which is nobody's token, in place of time and token while it is kept.
--          Called <prefix>{<tag>}
-- KEYS[2]  waiters: sorted set of the instances that wait; the score is their position, in microseconds
-- ARGV[1]  token of the hold
-- ARGV[2]  last fencing token of the hold; 0 if it is not known
-- ARGV[3]  patience: how long to keep the instance in the queue, in ms; absent or empty if it does not go on waiting
-- ARGV[4]  name of the lock as a mailbox, <prefix>mailbox:<instance>, is told it; absent or empty if that is the tag
-- ARGV[5]  present if the server does not count the listeners at other servers, as a node of a cluster: then an instance
--          counts as signalled although it may be dead, and those behind it look by themselves; else absent or empty
-- ARGV[6]  minimum: how long the lock is kept from all, counted from the grant, in ms; absent if it has no minimum time. A
--          grant that is later than now counts as one of now
--
-- Returns a status, plus 4 for each ms that is left of the minimum time, for which the lock is kept:
--   3  as 1, and an instance was signalled
--   2  as 1, but the signal failed
--   1  released now; or kept since the grant of this fencing token, so that an earlier copy of this command released it
--   0  another owner has the lock, or it is kept since another grant; nothing was changed
--  -1  the lock is free, since an earlier copy of this command released it or since its lease is over; nothing was changed

local lock, waiters = KEYS[1], KEYS[2]
local token, fencing, patience, name, uncounted = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local minimum = ARGV[6]
uncounted = uncounted and uncounted ~= ''

local KEPT, PER_MS = '%kept', 4
-- In microseconds: for how long acquire relies on its note, and does not look at the clock.
local NOTED = 20000
local SIGNALLED, UNSIGNALLED, DONE, NOT_HELD, FREE = 3, 2, 1, 0, -1

local owner = redis.pcall('GET', lock)
if type(owner) == 'table' then
  return string.sub(owner.err, 1, 9) == 'WRONGTYPE' and NOT_HELD or owner
end
if not owner then
  return FREE
end
if string.sub(owner, -#token) == token then
  local rest = 0
  if minimum then
    local now = redis.call('TIME')
    -- Without its time, a grant was no later than its last fencing token and the 20 ms for which that may have been noted.
    local granted = string.match(owner, '^%d+@(%d+)') or fencing + NOTED
    local held = math.max(0, now[1] * 1000000 + now[2] - granted)
    rest = math.max(0, math.ceil(minimum - held / 1000))
  end
  if rest > 0 then
    redis.call('SET', lock, string.match(owner, '^%d+') .. ' ' .. KEPT, 'PX', rest)
  else
    redis.call('DEL', lock)
  end
  patience = patience and tonumber(patience)
  local instance = patience and string.match(token, '^(.*):')
  if patience then
    -- A place from before is spent: the instance had the lock since.
    redis.pcall('ZREM', waiters, instance)
  end
  -- include signal_next.lua: leaves woken
  if patience and (woken == SIGNALLED or rest > 0) then
    local now = redis.call('TIME')
    redis.pcall('ZADD', waiters, now[1] * 1000000 + now[2], instance)
    if redis.call('PTTL', waiters) < patience then
      redis.pcall('PEXPIRE', waiters, patience)
    end
  end
  return woken + PER_MS * rest
end
local kept = string.match(owner, '^(%d+) %%kept$')
if kept and tonumber(kept) == tonumber(fencing) then
  return DONE + PER_MS * math.max(0, redis.call('PTTL', lock))
end
return NOT_HELD
