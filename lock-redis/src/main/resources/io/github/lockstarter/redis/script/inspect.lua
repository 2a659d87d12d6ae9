-- Reads a lock for an operator. Changes nothing.
--
-- KEYS[i]            slot of readers, see acquire_read.lua; none for a slot of permits
-- KEYS[readers + 1]  lock, <prefix>{<tag>}: string, see acquire.lua, acquire_read.lua and release.lua
-- KEYS[readers + 2]  waiters: sorted set of the waiting instances
-- KEYS[readers + 3]  history, and the next three: see check_history.lua
-- KEYS[readers + 4]  takeovers
-- ARGV[1]  known
-- ARGV[2]  grace
--
-- Returns a list, or any error, including that of a key of another type:
--   owner      the first 8 characters of the owner's instance, and its token from the vertical bar on; '%kept' during
--              the rest of a minimum hold; '%read' if the lock may have readers; '?' if it is not a client of this
--              library; empty if the lock is free
--   remaining  lease, or rest, in ms; -1 if it never expires; -2 if the lock is free
--   fencing    the owner's last fencing token; 0 if the lock is free, or the owner has none
--   waiting    number of queued instances
--   recovering how much longer the free lock is not granted, in ms; 0 if it is
--   marked     how long the owner's instance has been missing, if the lock may be taken over, in ms; -1 if it has no
--              mark
--   stored     all that is stored in the lock, for a revocation (release.lua); empty if the lock is free or not ours
--   reader     a list for each that has the lock: owner, remaining, fencing, number of its slot from 1, 0, marked, stored

local readers = #KEYS - 4
local slots, lock, waiters = {unpack(KEYS, 1, readers)}, KEYS[readers + 1], KEYS[readers + 2]
local history, takeovers = KEYS[readers + 3], KEYS[readers + 4]
local known, grace = ARGV[1], ARGV[2]

local checked, isDryRun = nil, true
-- include check_history.lua: leaves age, recovering, micros and refusal
if refusal then
  return refusal
end

-- All that a label of ours shows: another program may have written more.
local MOST_OF_LABEL = 96
local function look(lock)
  local owner = redis.call('GET', lock)
  local holder, fencing, marked = '', 0, -1
  if owner then
    local granted, token = string.match(owner, '^(' .. string.rep('%d', 16) .. ')@?%d* (.*)$')
    local instance, label = string.match(token or '', '^([0-9a-f]+):%d+(.*)$')
    local ours = instance and (label == '' or string.sub(label, 1, 1) == '|')
    local isWord = token == '%kept' or token == '%read'
    holder = ours and string.sub(instance, 1, 8) .. string.sub(label, 1, MOST_OF_LABEL) or (isWord and token or '?')
    fencing = holder ~= '?' and tonumber(granted) or 0
    local mark = ours and string.match(label, '^|[^|]*|%d+%+?$')
      and redis.pcall('HMGET', takeovers, 'doubt:' .. instance)
    local last, unheard, ends = string.match(mark and mark[1] or '', '^%d+ (%d+) (%d+) (%d+)$')
    if last then
      local now = redis.call('TIME')
      local time = now[1] * 1000000 + now[2]
      marked = time < tonumber(ends) and math.max(0, math.floor((time - last + unheard) / 1000)) or -1
    end
  end
  return holder, redis.call('PTTL', lock), fencing, marked, holder ~= '?' and owner or ''
end

local holder, remaining, fencing, marked, stored = look(lock)
local wait = holder == '' and recovering and math.ceil(grace - age / 1000) or 0
local reply = {holder, remaining, fencing, redis.call('ZCARD', waiters), wait, marked, stored}
for i, slot in ipairs(holder == '%read' and slots or {}) do
  local holder, remaining, fencing, marked, stored = look(slot)
  reply[#reply + 1] = holder ~= '' and {holder, remaining, fencing, i, 0, marked, stored} or nil
end
return reply
