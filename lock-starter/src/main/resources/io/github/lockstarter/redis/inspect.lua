-- Looks at a lock for an operator. Changes nothing.
--
-- KEYS[1]  lock: string, the token of the owner. Called <prefix>{<tag>}
-- KEYS[2]  fence: string, the last fencing token that was granted
-- KEYS[3]  waiters: sorted set of the instances that wait
--
-- Returns four texts:
--   owner      the first 8 characters of the owner's instance, which is the part of its token before the last colon, and what
--              the token has from a vertical bar on; '?' if it is none of these clients; empty if the lock is free
--   remaining  lease in ms; -1 if it never ends by itself; -2 if the lock is free
--   fencing    the last fencing token; empty if there is none
--   waiting    how many instances are in the queue
-- Any error, also of a key of another type, is returned.

local lock, fence, waiters = KEYS[1], KEYS[2], KEYS[3]

local owner = redis.call('GET', lock)
-- More than any label has: the lock may hold anything that somebody else has written.
local MOST_OF_LABEL = 64
local holder = ''
if owner then
  local instance, label = string.match(owner, '^([0-9a-f]+):%d+(.*)$')
  local ours = instance and (label == '' or string.sub(label, 1, 1) == '|')
  holder = ours and string.sub(instance, 1, 8) .. string.sub(label, 1, MOST_OF_LABEL) or '?'
end
local remaining = string.format('%.0f', redis.call('PTTL', lock))
local fencing = redis.call('GET', fence) or ''
local waiting = string.format('%.0f', redis.call('ZCARD', waiters))
return {holder, remaining, fencing, waiting}
