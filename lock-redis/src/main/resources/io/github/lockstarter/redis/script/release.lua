-- Frees each lock whose token has it, or keeps it for the rest of its minimum time, and signals the instance that waits
-- longest for it. What is the same for all locks is one command for all of them.
--
-- For each lock i:
-- KEYS[i]          lock: string, as acquire.lua has it; with '%kept', which is no token, in place of time and token while
--                  it is kept. Called <prefix>{<tag>}
-- KEYS[count + i]  waiters: sorted set of the instances that wait; the score is their position, in microseconds
-- ARGV[2 * i - 1]  token of the hold, or of the last attempt
-- ARGV[2 * i]      name of the lock in messages to mailboxes, <prefix>mailbox:<instance>; absent or empty if that is the tag
-- For one lock alone; else absent, as is what is not said:
-- ARGV[2 * count + 1]  not empty if the server does not count the listeners at other servers, as a node of a cluster: then an
--                      instance counts as signalled although it may be dead, and those behind it look by themselves
-- ARGV[2 * count + 2]  wait: empty if the place of the instance in the queue stays as it is; 'ends' if it leaves the queue; else
--                      in ms, how long to keep it there: it is queued behind all others, if one of them was signalled or the
--                      lock is kept
-- ARGV[2 * count + 3]  minimum: how long the lock is kept from all, counted from the grant, in ms. A grant that is later than
--                      now counts as one of now
-- ARGV[2 * count + 4]  last fencing token of the hold; 0 if it is not known
--
-- Returns a status for each lock, in their order, or the one of one lock; plus 4 for each ms for which it is kept:
--   3  as 1, and an instance was signalled
--   2  as 1, but the signal failed
--   1  released now; or kept since the grant of this fencing token, so that an earlier copy of this command released it; or
--      the wait has ended, and the token does not have the lock
--   0  another owner has the lock, or it is kept since another grant; nothing was changed
--  -1  the lock is free, since an earlier copy of this command released it or since its lease is over; nothing was changed
-- Where the wait ends and the lock is free or kept, the signal of the last release may have been spent on this instance, so the
-- next one is signalled: it learns until when the lock is kept.

local count = #KEYS / 2
local uncounted, patience = ARGV[2 * count + 1], ARGV[2 * count + 2]
local minimum, fencing = ARGV[2 * count + 3], ARGV[2 * count + 4]
local owners = count > 1 and redis.call('MGET', unpack(KEYS, 1, count))
local mayWait = count == 1 or redis.call('EXISTS', unpack(KEYS, count + 1)) > 0
uncounted = uncounted and uncounted ~= ''
local leaves = patience == 'ends'
patience = patience and tonumber(patience)

local KEPT, PER_MS = '%kept', 4
-- In microseconds: for how long acquire relies on its note, and does not look at the clock.
local NOTED = 20000
local SIGNALLED, UNSIGNALLED, DONE, NOT_HELD, FREE = 3, 2, 1, 0, -1
-- One lock needs no tables, which cost more than the rest.
local held, statuses = owners and {}, owners and {}
for i = 1, count do
  local lock, waiters, token, name = KEYS[i], KEYS[count + i], ARGV[2 * i - 1], ARGV[2 * i]
  local status, instance, rest = nil, nil, 0
  repeat
    local owner
    if owners then
      -- Of a key of another type, MGET gives nothing.
      owner = owners[i] or (redis.call('EXISTS', lock) > 0 and '')
    else
      owner = redis.pcall('GET', lock)
      if type(owner) == 'table' then
        if string.sub(owner.err, 1, 9) ~= 'WRONGTYPE' then
          return owner
        end
        owner = ''
      end
    end
    local isHeld = owner and string.sub(owner, -#token) == token
    local kept = owner and not isHeld and string.match(owner, '^(%d+) %%kept$')
    if leaves or (patience and isHeld) then
      -- A place from before is spent: the instance had the lock since, or waits no longer.
      instance = string.match(token, '^(.*):')
      local left = redis.pcall('ZREM', waiters, instance)
      if leaves and type(left) == 'table' and string.sub(left.err, 1, 9) ~= 'WRONGTYPE' then
        return left
      end
    end
    if isHeld then
      if minimum then
        local now = redis.call('TIME')
        -- Without its time, a grant was no later than its last fencing token and the 20 ms for which that may have been noted.
        local granted = string.match(owner, '^%d+@(%d+)') or fencing + NOTED
        local since = math.max(0, now[1] * 1000000 + now[2] - granted)
        rest = math.max(0, math.ceil(minimum - since / 1000))
      end
      if rest > 0 then
        redis.call('SET', lock, string.match(owner, '^%d+') .. ' ' .. KEPT, 'PX', rest)
      elseif held then
        held[#held + 1] = lock
      else
        redis.call('DEL', lock)
      end
    elseif not leaves then
      local isRepeated = kept and minimum and tonumber(kept) == tonumber(fencing)
      status = isRepeated and DONE + PER_MS * math.max(0, redis.call('PTTL', lock)) or (owner and NOT_HELD or FREE)
      break
    elseif owner and not kept then
      status = DONE
      break
    end
    -- include signal_next.lua: leaves woken
    if patience and (woken == SIGNALLED or rest > 0) then
      local now = redis.call('TIME')
      redis.pcall('ZADD', waiters, now[1] * 1000000 + now[2], instance)
      if redis.call('PTTL', waiters) < patience then
        redis.pcall('PEXPIRE', waiters, patience)
      end
    end
    status = woken + PER_MS * rest
  until true
  if not statuses then
    return status
  end
  statuses[i] = status
end
if #held > 0 then
  redis.call('DEL', unpack(held))
end
return statuses
