-- Decides an attempt, once its lock and the owners were looked at.
-- Uses lock, waiters, token, lease, floor, name, patience, block, position and timed, see acquire.lua; the variables of
-- check_history.lua; owner, what the lock contains, nothing if it is free, abandoned or replaced, or an empty text if it
-- is free and must not be granted; isOwn, whether it is this token; former, what an abandoned lock contained; owners,
-- what all slots contain; ending, the slots that may become free without a signal; slot, nil without permits; trace; and
-- refused, an earlier error, with key, the number of its key.
-- Sets reply, see acquire.lua.
local REFUSED, WRONG_TYPE, CONTENDED, GRANTED, RECOVERING = -2, -1, 0, 1, 2
local FENCE_KEY, WAITERS_KEY = 2, 3
-- All that a label of ours shows: another program may have written more.
local MOST_OF_LABEL = 96
local status, value, number, who, clock, unsent = GRANTED, nil, 0, '', nil, nil
local waits, block, told = name and name ~= '', tonumber(block or 1), marker ~= known and marker or ''
if timed and timed ~= '' and not refused then
  local now = not micros and redis.pcall('TIME')
  refused = now and now.err and now
  micros = micros or (not refused and now[1] * 1000000 + now[2])
  clock = micros
end

if not refused and not owner and recovering then
  status, value = RECOVERING, math.ceil(grace - age / 1000)
elseif not refused and owner and not isOwn then
  local isQueued, problem = pcall(function()
    local instance = string.match(token, '^(.*):')
    local registered = waits and redis.pcall('ZSCORE', waiters, instance)
    if type(registered) == 'table' then
      error(registered)
    end
    local place = tonumber(registered or nil)
    if waits then
      local patience, position = tonumber(patience), tonumber(position)
      if not place and not position then
        local now = redis.call('TIME')
        position = now[1] * 1000000 + now[2]
      end
      if not place or (position and position < place) then
        place = position
        redis.call('ZADD', waiters, place, instance)
      end
      if redis.call('PTTL', waiters) < patience then
        redis.call('PEXPIRE', waiters, patience)
      end
    end
    if waits and not registered then
      -- Publishes '%!' and the name to the owner's mailbox, unless an instance other than the owner was waiting before:
      -- then the owner knows. No name starts like that. A failure does not fail the attempt, since the owner's
      -- hand-overs are bounded. The pattern has a single repetition of digits: two in a row take quadratic time for a
      -- long foreign value.
      local prefix, tag = string.match(lock, '^([^{]*){([^}]*)}')
      local others, notified = redis.call('ZCARD', waiters) - 1, {}
      for _, owner in ipairs(owners) do
        local holder, after = string.match(owner or '', '^[%d@]+ ([0-9a-f]+):%d+(.?)')
        local isOther = holder and (after == '' or after == '|') and #holder == 32 and holder ~= instance
        if isOther and not notified[holder] then
          notified[holder] = true
          -- With several owners, a waiting instance may be one of them.
          if others < #owners - 1 or others == 0 or (others == 1 and redis.call('ZSCORE', waiters, holder)) then
            local sent = redis.pcall('PUBLISH', prefix .. 'mailbox:' .. holder, '%!' .. (name ~= '=' and name or tag))
            unsent = type(sent) == 'table' and (unsent and unsent .. ' ' or '') .. holder or unsent
          end
        end
      end
    end
    status, value, number = CONTENDED, owner == '' and 0 or -1, place or 0
    for _, place in ipairs(ending) do
      local left = redis.call('PTTL', place)
      value = left >= 0 and (value < 0 or left < value) and left or value
    end
  end)
  refused, key = not isQueued and (type(problem) == 'table' and problem or {err = tostring(problem)}), WAITERS_KEY
  -- Kept only if all slots are: the owner of any other may crash in the meantime.
  who = '%kept'
  for _, owner in ipairs(owners) do
    who = string.find(owner or '', '^%d+ %%kept$') and who or ''
  end
elseif not refused then
  -- A first attempt for one fencing token does not need the number, and is in no queue to leave.
  if block > 1 or (position and position ~= '') then
    local others = redis.pcall('ZCARD', waiters)
    if others ~= 0 and type(others) ~= 'table' then
      -- An instance that waits leaves the queue with its grant; an attempt that does not wait keeps its place.
      local own = redis.pcall(waits and 'ZREM' or 'ZSCORE', waiters, string.match(token, '^(.*):'))
      others = type(own) == 'table' and own or (own and own ~= 0 and others - 1 or others)
    end
    refused, key, number = type(others) == 'table' and others, WAITERS_KEY, others
  end
  local newest
  if isOwn then
    value = tonumber(string.match(owner, '^%d+')) - block + 1
    newest = value <= floor and floor + block or nil
  end
  if not refused and (newest or not isOwn) then
    -- include fencing_tokens.lua: leaves taken, micros and problem
    value = taken or floor + 1
    local set = problem
    if newest and not problem then
      set = redis.pcall('SET', lock, string.format('%016.0f', newest) .. string.match(owner, '^%d+(.*)$'), 'KEEPTTL')
    elseif not problem then
      local time = clock and string.format('@%.0f', micros) or ''
      local stored = string.format('%016.0f', value + block - 1) .. time .. ' ' .. token
      set = redis.pcall('SET', lock, stored, 'PX', lease)
    end
    refused, key = set.err and set, FENCE_KEY
    if not refused and not newest and not isChecked and isNamed and marker == known then
      -- The history was just checked and is old enough for grants: the next calls may skip the check for this many ms.
      -- Not replicated: a promoted replica would trust its master's check.
      local CHECKED_FOR = 20
      -- Where set_repl or the address in the note is missing, no note is written, and each call checks.
      if string.find(note, ': 0x', 1, true) and pcall(redis.set_repl, redis.REPL_NONE) then
        redis.pcall('SET', checked, note, 'PX', CHECKED_FOR)
        redis.set_repl(redis.REPL_ALL)
      end
      isChecked = true
    end
  end
end

-- The owner before a takeover, or the first of those that have it.
for _, owner in ipairs(former and {former} or (status == CONTENDED and who == '' and owners) or {}) do
  local holder, label = string.match(owner or '', '^[%d@]+ ([0-9a-f]+):%d+(|.*)$')
  if holder then
    who = string.sub(holder, 1, 8) .. string.sub(label, 1, MOST_OF_LABEL)
    break
  end
end
reply = value
if refused then
  local isOfAnotherType = string.sub(refused.err, 1, 9) == 'WRONGTYPE'
  reply = isOfAnotherType and {WRONG_TYPE, key, slot or 0, ''} or {REFUSED, 0, 0, refused.err}
elseif status ~= GRANTED or number > 0 or told ~= '' or who ~= '' or clock or slot then
  reply = {status, value, number, told, who, trace, clock or ((slot or unsent) and ''), slot or (unsent and 0), unsent}
end
