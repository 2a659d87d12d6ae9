-- Looks at a lock for an operator. Changes nothing.
--
-- KEYS[1]  lock: string, as acquire.lua and release.lua have it. Called <prefix>{<tag>}
-- KEYS[2]  waiters: sorted set of the instances that wait
-- KEYS[3]  history: as check_history.lua has it, and the next two
-- ARGV[1]  known
-- ARGV[2]  grace
--
-- Returns a text and five numbers, or any error, also of a key of another type:
--   owner      the first 8 characters of the owner's instance, and what its token has from a vertical bar on; '%kept' if the lock
--              is kept for the rest of its minimum time; '?' if it is none of these clients; empty if the lock is free
--   remaining  lease, or rest, in ms; -1 if it never ends by itself; -2 if the lock is free
--   fencing    the last fencing token of the owner; 0 if the lock is free, or the owner has none
--   waiting    how many instances are in the queue
--   recovering how much longer the lock is not granted although it is free, in ms; 0 if it is granted
--   marked     for how long the owner's instance was not heard, if the lock may be taken over, in ms; -1 if it is heard

local lock, waiters, history = KEYS[1], KEYS[2], KEYS[3]
local known, grace = ARGV[1], ARGV[2]

local checked, isDryRun = nil, true
-- include check_history.lua: leaves age, micros and refusal
if refusal then
  return refusal
end

local owner = redis.call('GET', lock)
-- Longer than any label of ours: another program may have written the lock's value.
local MOST_OF_LABEL = 96
local holder, fencing, marked = '', 0, -1
if owner then
  local granted, token = string.match(owner, '^(' .. string.rep('%d', 16) .. ')@?%d* (.*)$')
  local instance, label = string.match(token or '', '^([0-9a-f]+):%d+(.*)$')
  local ours = instance and (label == '' or string.sub(label, 1, 1) == '|')
  holder = ours and string.sub(instance, 1, 8) .. string.sub(label, 1, MOST_OF_LABEL) or (token == '%kept' and token or '?')
  fencing = holder ~= '?' and tonumber(granted) or 0
  local mark = ours and string.match(label, '^|[^|]*|%d+%+?$')
    and redis.call('GET', string.match(lock, '^([^{]*){') .. 'doubt:' .. instance)
  local last, unheard = string.match(mark or '', '^%d+ (%d+) (%d+)$')
  if last then
    local now = redis.call('TIME')
    marked = math.max(0, math.floor((now[1] * 1000000 + now[2] - last + unheard) / 1000))
  end
end
local recovering = not owner and age and age < grace * 1000 and math.ceil(grace - age / 1000) or 0
return {holder, redis.call('PTTL', lock), fencing, redis.call('ZCARD', waiters), recovering, marked}
