-- Ends the wait of an instance: takes it out of the queue and frees the lock if its token has it. If the lock is free
-- then, the signal of the last release may have been spent on this instance, so the next one is signalled.
--
-- KEYS[1]  lock: string, the token of the owner
-- KEYS[2]  waiters: sorted set of the instances that wait
-- ARGV[1]  token of the last attempt
-- ARGV[2]  instance that leaves
-- ARGV[3]  prefix of the mailbox channels; the instance follows
-- ARGV[4]  name of the lock as the mailbox is told it
-- ARGV[5]  how many instances to try if nobody listens for the first ones
--
-- Returns a status:
--   3  as 1, and an instance was signalled
--   2  as 1, but the signal failed
--   1  the instance does not wait, and the token does not have the lock

local lock, waiters = KEYS[1], KEYS[2]
local token, instance = ARGV[1], ARGV[2]
local mailboxes, name, tries = ARGV[3], ARGV[4], tonumber(ARGV[5])

local SIGNALLED, UNSIGNALLED, DONE = 3, 2, 1

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
-- Whatever else the waiters key may hold, this instance is not in it.
redis.pcall('ZREM', waiters, instance)
if owner == token then
  redis.call('DEL', lock)
  owner = false
end
if owner then
  return DONE
end
return wake(waiters, mailboxes, name, tries)
