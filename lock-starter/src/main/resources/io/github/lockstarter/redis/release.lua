-- Frees the lock if the token has it, and signals the instance that waits longest. An instance that goes on waiting
-- itself is queued behind all others, if one of them was signalled.
-- An instance is the part of its tokens before the last colon.
--
-- KEYS[1]  lock: string, the token of the owner
-- KEYS[2]  fence: string, the last fencing token that was granted
-- KEYS[3]  waiters: sorted set of the instances that wait; the score is their position, in microseconds
-- ARGV[1]  token of the hold
-- ARGV[2]  last fencing token of the hold; 0 if it is not known
-- ARGV[3]  prefix of the mailbox channels; the instance follows
-- ARGV[4]  name of the lock as the mailbox is told it
-- ARGV[5]  how many instances to try if nobody listens for the first ones
-- ARGV[6]  patience: how long to keep the instance in the queue, in ms; absent if it does not go on waiting
--
-- Returns a status:
--   3  as 1, and an instance was signalled
--   2  as 1, but the signal failed
--   1  released now, or free and nobody was granted it since: an earlier copy of this command released it
--   0  the token does not have the lock; nothing was changed

local lock, fence, waiters = KEYS[1], KEYS[2], KEYS[3]
local token, fencing = ARGV[1], ARGV[2]
local mailboxes, name, tries, patience = ARGV[3], ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6])

local SIGNALLED, UNSIGNALLED, DONE, NOT_HELD = 3, 2, 1, 0

-- Signals the instance that waits longest. One that nobody listens for is dead: the next one is tried.
-- A failure is none of the caller's: the lock is free, and waiters look again by themselves.
local function wake(waiters, mailboxes, name, tries)
  for _ = 1, tries do
    local longest = redis.pcall('ZPOPMIN', waiters)
    if longest.err then
      return UNSIGNALLED
    end
    if not longest[1] then
      return DONE
    end
    local receivers = redis.pcall('PUBLISH', mailboxes .. longest[1], name)
    if type(receivers) == 'table' then
      return UNSIGNALLED
    end
    if receivers > 0 then
      return SIGNALLED
    end
  end
  return DONE
end

local owner = redis.pcall('GET', lock)
if type(owner) == 'table' and string.sub(owner.err, 1, 9) ~= 'WRONGTYPE' then
  return owner
end
if owner == token then
  redis.call('DEL', lock)
  local instance = patience and string.match(token, '^(.*):')
  if patience then
    -- A place from before is spent: the instance had the lock since.
    redis.pcall('ZREM', waiters, instance)
  end
  local woken = wake(waiters, mailboxes, name, tries)
  if patience and woken == SIGNALLED then
    local now = redis.call('TIME')
    redis.pcall('ZADD', waiters, string.format('%.0f', now[1] * 1000000 + now[2]), instance)
    if redis.call('PTTL', waiters) < patience then
      redis.pcall('PEXPIRE', waiters, patience)
    end
  end
  return woken
end
if not owner and fencing ~= '0' and redis.pcall('GET', fence) == fencing then
  return DONE
end
return NOT_HELD
