-- Handles one attempt for a lock that may have readers: to read, or to write if acquire.lua has found readers. A reader
-- has one of the slots of readers, <prefix>{<tag>}:p<number>, each a lock of its own with the queue of the first. While
-- any reader has one, the lock itself, the gate, contains '%read' in place of time and token, for the longest of their
-- leases. So it excludes clients that do not know readers.
--
-- A reader gets the slot that its token has; else a free one; else the first whose owner is gone; but none while a
-- writer has the gate, and none beside other readers while another instance waits before it. A writer gets the gate if
-- it is free or its writer is gone, or if no slot has an owner that is not gone; it deletes these slots. A writer that
-- attempts to read moves to a free slot, and signals the first waiting instance, which may read as well.
--
-- KEYS[i]            slot of readers
-- KEYS[readers + 1]  gate
-- For the meaning of the other keys, arguments and answers, see acquire.lua:
-- KEYS[readers + 2]  waiters
-- KEYS[readers + 3]  fence
-- KEYS[readers + 4]  history
-- KEYS[readers + 5]  checked
-- KEYS[readers + 6]  takeovers
-- ARGV[1]   known
-- ARGV[2]   grace
-- ARGV[3]   patience
-- ARGV[4]   token
-- ARGV[5]   lease
-- ARGV[6]   floor
-- ARGV[7]   name
-- ARGV[8]   number of consecutive fencing tokens to grant
-- ARGV[9]   position
-- ARGV[10]  mode: 'read' or 'write'
-- ARGV[11]  not empty if PUBLISH does not count subscribers of other servers
-- ARGV[12]  not empty: the time is stored with the lock
-- ARGV[13]  the lock's name in mailbox messages, also if the instance does not wait; absent or empty if it is the tag
--
-- Returns {status, value, number, marker, who, trace, time, slot, owners}: as acquire_permit.lua, except that
--   1   number is always looked at. If others wait, a reader that has waited signals the first, which may read as well
--   0   a writer, readers or earlier instances have the lock
-- and with
--   slot    granted, from 1 for the first slot of readers; 0 for the gate
--   owners  of a grant, if scripts may not publish: the instance that the client signals

local readers = #KEYS - 6
local places, gate, waiters, fence = {unpack(KEYS, 1, readers)}, KEYS[readers + 1], KEYS[readers + 2], KEYS[readers + 3]
local history, checked, takeovers = KEYS[readers + 4], KEYS[readers + 5], KEYS[readers + 6]
local known, grace, patience, token, lease, floor = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], tonumber(ARGV[6])
local name, block, position, reads = ARGV[7], ARGV[8], ARGV[9], ARGV[10] == 'read'
local uncounted, timed, message = ARGV[11], ARGV[12], ARGV[13]

local isDryRun
-- include check_history.lua: leaves marker, age, micros, refusal, recovering, isNamed and isChecked

local READ, LOCK_KEY, HISTORY_KEY = '%read', 1, 4
-- Maximum number of instances to signal, or to drop; later ones poll.
local TRIES = 16
local mailbox, tag = string.match(gate, '^([^{]*){([^}]*)}')
mailbox, message = mailbox .. 'mailbox:', message and message ~= '' and message or tag
uncounted = uncounted and uncounted ~= ''

local stored, entries = redis.pcall('GET', gate), redis.pcall('MGET', unpack(places)) -- of a key of another type, nothing
local refused, key = refusal, HISTORY_KEY
if not refused and type(stored) == 'table' then
  refused, key = stored, LOCK_KEY
end
refused = refused or (entries.err and entries)
entries = refused and {} or entries
local isRead = not refused and stored and string.sub(stored, 18) == READ
local isWritten = not refused and stored and not isRead
local own, free, others = nil, nil, {}
for i, reader in ipairs(entries) do
  own = reads and not isWritten and reader and string.find(reader, token, -#token, true) and i or own
  free = free or (not reader and i)
  others[#others + 1] = isRead and reader or nil
end
own = own or (not reads and isWritten and string.find(stored, token, -#token, true) and 0)
local found = reads and free and not own and redis.pcall('GET', places[free])
if type(found) == 'table' and string.sub(found.err, 1, 9) == 'WRONGTYPE' then
  return {-1, LOCK_KEY, tonumber(string.match(places[free], '%d+$')), ''}
end
entries[0] = isWritten and stored

-- The writer's own token turns its lock into one that is read, with its lease; also while the history is young.
if reads and isWritten and free and string.find(stored, token, -#token, true) then
  local left, waiting = redis.call('PTTL', gate), redis.pcall('ZCARD', waiters)
  left = left > 0 and left or lease
  redis.call('SET', places[free], stored, 'PX', left)
  redis.call('SET', gate, string.sub(stored, 1, 16) .. ' ' .. READ, 'PX', left)
  local value, told = string.sub(stored, 1, 16) - block + 1, marker ~= known and marker or ''
  local number = type(waiting) == 'number' and waiting or 0
  local mayWait = number > 0
  -- include signal_first.lua: leaves unsent
  return {1, value, number, told, '', '', '', free, unsent}
end

-- Whether an instance waits in front, which may be a writer. A dead one is dropped, as by a release.
local isBehind = false
for _ = 1, reads and not own and #others > 0 and TRIES or 0 do
  local registered = redis.pcall('ZSCORE', waiters, string.match(token, '^(.*):'))
  local place = name ~= '' and (tonumber(position) or tonumber(registered or nil))
  local first = redis.pcall('ZRANGEBYSCORE', waiters, '(0', '+inf', 'LIMIT', 0, 1)
  local position = first[1] and tonumber(redis.pcall('ZSCORE', waiters, first[1]) or nil)
  isBehind = position and (not place or position < place) or false
  if not isBehind or uncounted or redis.pcall('PUBSUB', 'NUMSUB', mailbox .. first[1])[2] ~= 0 then
    break
  end
  redis.pcall('ZREM', waiters, first[1])
end

-- Looks at the writer, or at the readers that are in the way. A reader needs only one slot.
local from, to = 1, 0
if isWritten and not own then
  from = 0
elseif isRead and not own and not (reads and (isBehind or free)) then
  to = readers
end
local owners, counted, trace, former, replaced = {}, {}, '', nil, nil
for i = from, to do
  local lock, owner = places[i] or gate, entries[i]
  local isGone = false
  if owner and isNamed and not recovering then
    -- include look.lua: leaves isAbandoned and unacknowledged
    trace, isGone = unacknowledged or trace, isAbandoned
  end
  if isGone then
    former, replaced = owner, i
  elseif owner then
    owners[#owners + 1] = owner
  end
  if isGone and reads then
    owners = {}
    break
  end
end
owners = isBehind and others or owners
former = not owners[1] and former or nil

local chosen = reads and (own or free or (replaced ~= 0 and replaced) or 1) or 0
local lock, slot, reply = places[chosen] or gate, nil, nil
local isOwn, owner, ending = own, own and entries[own] or owners[1], {gate}
-- include attempt.lua: leaves reply, status, value, number, waits, told and who

if status == GRANTED and not refused then
  if reads then
    local left = isRead and redis.pcall('PTTL', gate)
    local longest = math.max(tonumber(lease), type(left) == 'number' and left or 0)
    local marked = redis.pcall('SET', gate, string.format('%016.0f ', value + block - 1) .. READ, 'PX', longest)
    if marked.err then
      redis.pcall('DEL', lock)
      return {REFUSED, 0, 0, marked.err}
    end
  elseif isRead then
    for i, place in ipairs(places) do
      if entries[i] then
        redis.pcall('DEL', place)
      end
    end
  end
  if waits then -- even without a position: a release may have queued the instance again
    redis.pcall('ZREM', waiters, string.match(token, '^(.*):'))
  end
  local waiting = redis.pcall('ZCARD', waiters)
  number = type(waiting) == 'number' and waiting or 0
  local mayWait = reads and waits and number > 0
  -- include signal_first.lua: leaves unsent
  reply = {GRANTED, value, number, told, who, trace, '', chosen, unsent}
end
return reply
