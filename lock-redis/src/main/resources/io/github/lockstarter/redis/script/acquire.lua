-- Grants a free lock to a token, or says how long another owner has it, or it is kept, and puts the instance in the queue.
-- The same token asking again gets the same answer: the client repeats what it sent when a connection breaks. Its fencing
-- tokens are raised if they are not above the floor it names then: to begin right above it.
-- An instance is the part of its tokens before the last colon. A token may say who made it: behind a vertical bar, which
-- is compared with the rest of it.
--
-- KEYS[1]  lock: string, the last fencing token of the owner in 16 digits, a space, and its token; lives as long as the lease.
--          Behind the token, a bar, the time of the last look, a plus sign, and for how long the owner's instance was not heard
--          until then, in microseconds, are the mark of an owner that is not heard any more. Called <prefix>{<tag>}
-- KEYS[2]  fence: string, the counter: the last fencing token that was granted for any lock that has this counter
-- KEYS[3]  waiters: sorted set of the instances that wait; the score is their position, in microseconds
-- KEYS[4]  history: string, the marker of the history that granted locks belong to; absent if the guard is off, and the next
-- KEYS[5]  checked: string, the note of this server that it looked a moment ago: the marker named its history, which was older
--          than the grace. Neither replicated nor in the append-only file
-- ARGV[1]  token of this attempt
-- ARGV[2]  lease in ms
-- ARGV[3]  floor: the fencing tokens must be greater
-- ARGV[4]  how many fencing tokens in a row to grant
-- The next two only if the guard is on; else absent or empty:
-- ARGV[5]  known: the marker that the caller saw last, or else the name of the history that it trusts without a
--          marker; empty if it saw none and trusts any; any other text if it trusts none
-- ARGV[6]  grace: how old a history must be for grants, in ms
-- The next three only if the instance waits; else absent or empty:
-- ARGV[7]  patience: how long to keep the instance in the queue, in ms
-- ARGV[8]  position of the instance as told by an earlier answer; absent or empty for the end of the queue
-- ARGV[9]  name of the lock as a mailbox is told it; absent or empty if that is the tag
-- ARGV[10]  not empty: the caller wants to be told the time, since it counts votes or the lock has a minimum time; absent
--           otherwise
--
-- Returns the first fencing token      granted, no other instance is known to wait, and the marker is the caller's
-- Returns {status, value, number}, and what of the following there is, where the status is not negative:
--   the marker, unless it is the caller's; but empty if more follows
--   if another owner has the lock, or the lock was taken over from it, and its token says who made it: the first 8 characters
--   of its instance, and what its token has from the vertical bar on; '%kept' if its owner released it, and it is kept for the
--   rest of its minimum time
--   to who wants to be told: the time of this server in microseconds
--   {1, first fencing token, others}   granted; so many other instances are in the queue
--   {0, remaining lease, position}     another owner has it, or it is kept: in ms, -1 if it never ends by itself; position 0
--                                      if not waiting
--   {2, retry after, 0}                free, but the history is younger than the grace: in ms
--   {-1, n, 0}                         KEYS[n] holds another type: not granted
-- The bare number is what almost every grant returns; with a table, the server works 7 % more for it.
-- The queue is looked at only for more than one fencing token, or by who was told a position. A newcomer that asks for one
-- has no use for the number, and is in no queue to be taken out of.
-- Any error means not granted, or that the owner's fencing tokens are what they were.
--
-- A token may end with a bar and its take-over time in ms. If its owner's instance is not heard on its mailbox, which the
-- operating system closes with the process, the lock is marked; if it was not heard for so long, and the owner has not renewed
-- the lock meanwhile, which removes the mark, the lock is granted as if it were free. Neither happens while the history is younger than
-- the grace, without the guard, or if the server does not say which history this is (docs/internals/crash-take-over.md).
--
-- The first instance that queues behind an owner which is one too has '%!' and the name published to the owner's
-- mailbox, <prefix>mailbox:<instance>. A name never starts like that.

local lock, fence, waiters, history, checked = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local token, lease, floor, block = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local known, grace, patience, position, name = ARGV[5], ARGV[6], ARGV[7], ARGV[8], ARGV[9]
local waits, timed = patience and patience ~= '', ARGV[10]

local RECOVERING, GRANTED, CONTENDED = 2, 1, 0

-- No upvalues: they would cost each grant more than the function.
local function failed(reply, key)
  local WRONG_TYPE = -1
  if string.sub(reply.err, 1, 9) == 'WRONGTYPE' then
    return {WRONG_TYPE, key, 0}
  end
  return reply
end

-- include check_history.lua: leaves marker, age, micros, refusal and isNamed
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
-- Where the token begins in what is stored.
local TOKEN = 18
local repeated = owner and string.sub(owner, TOKEN) == token
-- include is_marked.lua: leaves isMarked
repeated = repeated or isMarked

-- More than any label has: the lock may hold anything that somebody else has written.
local MOST_OF_LABEL = 96
local lost
if owner and not repeated and isNamed and not recovering then
  -- include take_over.lua: leaves abandoned and micros
  if abandoned then
    lost, owner = abandoned, nil
  end
end

if owner and not repeated then
  -- Tells the owner, unless another instance than its own was waiting already, so that it knows.
  -- A failure is none of the caller's: the owner's hand-overs end without being told too.
  local function want(instance)
    local holder, after = string.match(owner, '^%d+ ([0-9a-f]+):%d+(.?)')
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
    name = name ~= '' and name or nil
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
  local holder, label = string.match(owner, '^%d+ ([0-9a-f]+):%d+(|.*)$')
  if holder then
    return {CONTENDED, remaining, place, told or '', string.sub(holder, 1, 8) .. string.sub(label, 1, MOST_OF_LABEL), clock}
  end
  if string.sub(owner, TOKEN) == '%kept' then
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
  first = tonumber(string.sub(owner, 1, TOKEN - 2)) - block + 1
  if first <= floor then
    first = floor + 1
    local newest = floor + block
    -- include raise_counter.lua: leaves problem
    if problem then
      return failed(problem, 2)
    end
    local raised = redis.pcall('SET', lock, string.format('%016.0f ', newest) .. token, 'KEEPTTL')
    if raised.err then
      return raised
    end
  end
else
  -- A caller that asks for the time uses the first fencing token as an upper bound of the time of the grant.
  local isNoted = isChecked and not timed
  -- include fencing_tokens.lua: leaves taken, micros and problem
  if problem then
    return failed(problem, 2)
  end
  first = taken
  local set = redis.pcall('SET', lock, string.format('%016.0f ', first + block - 1) .. token, 'PX', lease)
  if set.err then
    return set
  end
  if checked and not isChecked and isNamed and marker == known then
    -- include note_check.lua
  end
end
if lost then
  return {GRANTED, first, others, told or '', lost, clock}
end
if others > 0 or told then
  return {GRANTED, first, others, told, clock}
end
return first
