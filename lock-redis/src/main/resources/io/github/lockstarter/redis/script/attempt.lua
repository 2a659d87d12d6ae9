-- Answers one attempt as acquire documents it. Reads lock, fence, waiters, checked, token, lease, floor, block, known, grace,
-- patience, position, name and timed of that script, and the variables that check_history sets.
local waits = name and name ~= ''
name = name ~= '=' and name or nil
local RECOVERING, GRANTED, CONTENDED = 2, 1, 0

-- No upvalues: they would cost each grant more than the function.
local function failed(reply, key)
  local WRONG_TYPE = -1
  if string.sub(reply.err, 1, 9) == 'WRONGTYPE' then
    return {WRONG_TYPE, key, 0}
  end
  return reply
end

if refusal then
  return failed(refusal, 4)
end
local told
if marker ~= known then
  told = marker
end
local clock
if timed then
  if not micros then
    local now = redis.pcall('TIME')
    if now.err then
      return failed(now, 2)
    end
    micros = now[1] * 1000000 + now[2]
  end
  clock, told = micros, told or ''
end
local recovering = age and age < grace * 1000

local owner = redis.pcall('GET', lock)
if type(owner) == 'table' then
  return failed(owner, 1)
end
if not owner and recovering then
  return {RECOVERING, math.ceil(grace - age / 1000), 0, told, clock}
end
local repeated = owner and string.sub(owner, -#token) == token

-- More than any label has: the lock may hold anything that somebody else has written.
local MOST_OF_LABEL = 96
local lost, acknowledgement
if owner and not repeated and isNamed and not recovering then
  -- include look.lua: leaves isAbandoned, unacknowledged, gone and label
  acknowledgement = unacknowledged
  if isAbandoned then
    lost, owner = string.sub(gone, 1, 8) .. string.sub(label, 1, MOST_OF_LABEL), nil
  end
end

if owner and not repeated then
  -- Tells the owner, unless another instance than its own was waiting already, so that it knows.
  -- A failure is none of the caller's: the owner's hand-overs end without being told too.
  local function want(instance)
    -- One repetition of digits, not two in a row, which take the square of the time for a long value of somebody else.
    local holder, after = string.match(owner, '^[%d@]+ ([0-9a-f]+):%d+(.?)')
    if not holder or (after ~= '' and after ~= '|') or #holder ~= 32 or holder == instance then
      return
    end
    local others = redis.call('ZCARD', waiters) - 1
    if others == 0 or (others == 1 and redis.call('ZSCORE', waiters, holder)) then
      local prefix, tag = string.match(lock, '^([^{]*){(.*)}$')
      redis.pcall('PUBLISH', prefix .. 'mailbox:' .. holder, '%!' .. (name or tag))
    end
  end

  local place = 0
  if waits then
    patience, position = tonumber(patience), tonumber(position)
    local instance = string.match(token, '^(.*):')
    local registered = redis.pcall('ZSCORE', waiters, instance)
    if type(registered) == 'table' then
      return failed(registered, 3)
    end
    place = tonumber(registered)
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
    if not registered then
      want(instance)
    end
  end
  local remaining = redis.call('PTTL', lock)
  local holder, label = string.match(owner, '^[%d@]+ ([0-9a-f]+):%d+(|.*)$')
  if holder then
    local who = string.sub(holder, 1, 8) .. string.sub(label, 1, MOST_OF_LABEL)
    if acknowledgement then
      return {CONTENDED, remaining, place, told or '', who, acknowledgement, clock}
    end
    return {CONTENDED, remaining, place, told or '', who, clock}
  end
  if string.find(owner, '^%d+ %%kept$') then
    return {CONTENDED, remaining, place, told or '', '%kept', clock}
  end
  return {CONTENDED, remaining, place, told, clock}
end

local others = 0
if block > 1 or (position and position ~= '') then
  others = redis.pcall('ZCARD', waiters)
  if type(others) == 'table' then
    return failed(others, 3)
  end
  if others > 0 then
    -- An instance that gets what it waits for has left the queue; one that only tries leaves it to those who wait.
    local instance = string.match(token, '^(.*):')
    local own = redis.pcall(waits and 'ZREM' or 'ZSCORE', waiters, instance)
    if type(own) == 'table' then
      return failed(own, 3)
    end
    if own and own ~= 0 then
      others = others - 1
    end
  end
end

local first
if repeated then
  first = tonumber(string.match(owner, '^%d+')) - block + 1
  if first <= floor then
    first = floor + 1
    local newest = floor + block
    -- include raise_counter.lua: leaves problem
    if problem then
      return failed(problem, 2)
    end
    local rest = string.match(owner, '^%d+(.*)$')
    local raised = redis.pcall('SET', lock, string.format('%016.0f', newest) .. rest, 'KEEPTTL')
    if raised.err then
      return raised
    end
  end
else
  -- include fencing_tokens.lua: leaves taken, micros and problem
  if problem then
    return failed(problem, 2)
  end
  first = taken
  local time = timed and string.format('@%.0f', micros) or ''
  local stored = string.format('%016.0f', first + block - 1) .. time .. ' ' .. token
  local set = redis.pcall('SET', lock, stored, 'PX', lease)
  if set.err then
    return set
  end
  if not isChecked and isNamed and marker == known then
    -- This server looked at its history a moment ago, and found it old enough for grants. In ms: so long a look counts for the
    -- next ones. It costs a fifth of a grant. A replica must not have the note: once promoted, it would trust the look of its
    -- master.
    local CHECKED_FOR = 20
    redis.set_repl(redis.REPL_NONE)
    redis.pcall('SET', checked, note, 'PX', CHECKED_FOR)
    redis.set_repl(redis.REPL_ALL)
    isChecked = true
  end
end
if lost then
  return {GRANTED, first, others, told or '', lost, clock}
end
if others > 0 or told then
  return {GRANTED, first, others, told, clock}
end
return first
