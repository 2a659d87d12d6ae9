-- Frees each lock that its token has, or keeps it for the rest of its minimum hold, and signals the longest waiting
-- instance. Commands that are the same for all locks are sent once.
--
-- For each lock i:
-- KEYS[i]          lock, <prefix>{<tag>}: string, see acquire.lua; while it is kept, '%kept', which is no token,
--                  replaces time and token
-- KEYS[count + i]  waiters: sorted set of the waiting instances; the score is the position in microseconds
-- ARGV[2 * i - 1]  token of the hold, or of the last attempt; of a revocation, all that is stored in the lock
-- ARGV[2 * i]      the lock's name in messages to mailboxes, <prefix>mailbox:<instance>; absent or empty if it is the
--                  tag
-- For a single lock only; absent or empty for the default:
-- ARGV[2 * count + 1]  not empty if PUBLISH does not count subscribers of other servers, as in a cluster: then an
--                      instance counts as signalled even if it is dead, and the instances behind it poll
-- ARGV[2 * count + 2]  wait: default leaves the instance's place in the queue as it is; 'ends' and a position remove
--                      it, and signal an instance behind the position, 0 for any; a time in ms requeues it for that
--                      time behind all others, if one of them was signalled, also by the client, or the lock is kept.
--                      'revoked' for an operator who revokes the lock: the owner is notified
-- ARGV[2 * count + 3]  minimum: time in ms from the grant for which the lock is kept from all. A grant in the future
--                      counts as now
-- ARGV[2 * count + 4]  last fencing token of the hold; 0 if unknown
--
-- Returns a status for each lock, in order, or the status of a single lock; plus 4 for each ms for which it is kept:
--   3  as 1, and an instance was signalled
--   2  as 1, but the signal failed. If scripts may not publish, a text: the status, and in lines instance and message
--   1  released now; or kept since the grant of this fencing token, so an earlier copy of this command released it; or
--      the wait has ended, and the token does not have the lock
--   0  another owner has the lock, or it is kept since another grant; nothing was changed
--  -1  the lock is free: an earlier copy of this command released it, or its lease ended; nothing was changed
-- If the wait ends while the lock is free, kept or read, the last release may have signalled this instance, or it was
-- in front of readers, so the next one is signalled; its attempt returns how long the lock is kept. Instances before
-- the position have attempted since the slot became free. If a signalled instance has no subscriber it is dead, and the
-- next one is tried. A failed signal does not fail the release: the lock is free, and waiters poll.
--
-- Messages to mailboxes: a signal is the name; for a slot other than the first, <prefix>{<tag>}:p<i>, it is '%=', the
-- number, ':' and the name, and an instance without waiters for so many permits passes it on. The owner of a revoked
-- lock receives '%~', the SHA-1 of its token in hex, ':' and the name; the SHA-1 proves that the sender knows the token.
-- If that message fails, the owner detects the loss with its next renewal.

local count = #KEYS / 2
local uncounted, patience = ARGV[2 * count + 1], ARGV[2 * count + 2]
local minimum, fencing = ARGV[2 * count + 3], ARGV[2 * count + 4]
local owners = count > 1 and redis.call('MGET', unpack(KEYS, 1, count))
local mayWait = count == 1 or redis.call('EXISTS', unpack(KEYS, count + 1)) > 0
uncounted = uncounted and uncounted ~= ''
local leaves, revokes = patience and string.match(patience, '^ends(%d+)$'), patience == 'revoked'
patience = patience and tonumber(patience)

local KEPT, PER_MS = '%kept', 4
-- Maximum number of instances to signal; later ones poll.
local TRIES = 16
-- How long acquire may rely on its note without reading the clock, in microseconds.
local NOTED = 20000
local SIGNALLED, UNSIGNALLED, DONE, NOT_HELD, FREE = 3, 2, 1, 0, -1
-- A single lock avoids tables, which cost more than the rest.
local held, statuses = owners and {}, owners and {}
for i = 1, count do
  local lock, waiters, token, name = KEYS[i], KEYS[count + i], ARGV[2 * i - 1], ARGV[2 * i]
  local status, instance, rest = nil, nil, 0
  repeat
    local owner
    if owners then
      -- MGET returns nothing for a key of another type.
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
      -- An earlier place is obsolete: the instance has had the lock since, or no longer waits.
      instance = string.match(token, '^(.*):')
      local left = redis.pcall('ZREM', waiters, instance)
      if leaves and type(left) == 'table' and string.sub(left.err, 1, 9) ~= 'WRONGTYPE' then
        return left
      end
    end
    if isHeld then
      if minimum then
        local now = redis.call('TIME')
        -- Without a stored time, the grant was no later than its last fencing token plus the 20 ms of the note.
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
    elseif owner and not kept and string.sub(owner, 18) ~= '%read' then
      status = DONE
      break
    end
    -- include signal.lua: leaves woken and unsent
    -- include revocation.lua: leaves unsent
    if patience and (woken == SIGNALLED or unsent or rest > 0) then
      -- include requeue.lua
    end
    status = unsent and woken + PER_MS * rest .. ' ' .. unsent or woken + PER_MS * rest
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
