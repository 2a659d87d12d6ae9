-- Grants a free lock to a token, or says how long another owner has it and puts the instance in the queue.
-- The same token asking again gets the same answer: the client repeats what it sent when a connection breaks.
-- An instance is the part of its tokens before the last colon.
--
-- KEYS[1]  lock: string, the token of the owner; lives as long as the lease
-- KEYS[2]  fence: string, the last fencing token that was granted
-- KEYS[3]  waiters: sorted set of the instances that wait; the score is their position, in microseconds
-- ARGV[1]  token of this attempt
-- ARGV[2]  lease in ms
-- ARGV[3]  floor: the fencing tokens must be greater
-- ARGV[4]  how long to remember the last fencing token, in ms; longer than the lease
-- ARGV[5]  how many fencing tokens in a row to grant
-- The rest only if the instance waits:
-- ARGV[6]  patience: how long to keep the instance in the queue, in ms
-- ARGV[7]  position of the instance as told by an earlier answer; 0 for the end of the queue
-- ARGV[8]  prefix of the mailbox channels; the instance follows
-- ARGV[9]  name of the lock as a mailbox is told it
--
-- Returns {status, value, number}:
--   {1, first fencing token, others}   granted; so many other instances are in the queue
--   {0, remaining lease, position}     another owner has it: in ms, -1 if it never ends by itself; position 0 if not waiting
--   {-1, n, 0}                         KEYS[n] holds another type: not granted
-- Any error means not granted: the lock is written last.
--
-- The first instance that queues behind an owner which is one too has '%!' and the name published to the owner's
-- mailbox. A name never starts like that.

local lock, fence, waiters = KEYS[1], KEYS[2], KEYS[3]
local token, lease, floor, memory, block = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4], tonumber(ARGV[5])
local patience, position, mailboxes, name = tonumber(ARGV[6]), tonumber(ARGV[7]), ARGV[8], ARGV[9]

local GRANTED, CONTENDED, WRONG_TYPE = 1, 0, -1
-- From here on doubles, which Lua counts with, skip integers.
local LIMIT = 9007199254740992

local function failed(reply, key)
  if string.sub(reply.err, 1, 9) == 'WRONGTYPE' then
    return {WRONG_TYPE, key, 0}
  end
  return reply
end

local function micros()
  local now = redis.call('TIME')
  return now[1] * 1000000 + now[2]
end

-- Tells the owner, unless another instance than its own was waiting already, so that it knows.
-- A failure is none of the caller's: the owner's hand-overs end without being told too.
local function want(owner, instance)
  local holder = string.match(owner, '^([0-9a-f]+):%d+$')
  if not holder or #holder ~= 32 or holder == instance then
    return
  end
  local others = redis.call('ZCARD', waiters) - 1
  if others == 0 or (others == 1 and redis.call('ZSCORE', waiters, holder)) then
    redis.pcall('PUBLISH', mailboxes .. holder, '%!' .. name)
  end
end

local owner = redis.pcall('GET', lock)
if type(owner) == 'table' then
  return failed(owner, 1)
end

if owner and owner ~= token then
  local place = 0
  if patience then
    local instance = string.match(token, '^(.*):')
    local registered = redis.pcall('ZSCORE', waiters, instance)
    if type(registered) == 'table' then
      return failed(registered, 3)
    end
    place = tonumber(registered)
    if not place or (position > 0 and position < place) then
      place = position > 0 and position or micros()
      redis.call('ZADD', waiters, string.format('%.0f', place), instance)
    end
    if redis.call('PTTL', waiters) < patience then
      redis.call('PEXPIRE', waiters, patience)
    end
    if not registered then
      want(owner, instance)
    end
  end
  return {CONTENDED, redis.call('PTTL', lock), place}
end

local stored = redis.pcall('GET', fence)
if type(stored) == 'table' then
  return failed(stored, 2)
end
-- Garbage, also NaN, counts as never granted: the clock is far above every real token.
local last = tonumber(stored or '0')
if not last or last ~= math.floor(last) or last < 0 or last >= LIMIT - block then
  last = 0
end

-- An instance that gets what it waits for has left the queue; one that only tries leaves the queue to those who wait.
local others = redis.pcall('ZCARD', waiters)
if type(others) == 'table' then
  return failed(others, 3)
end
if others > 0 then
  local instance = string.match(token, '^(.*):')
  if patience then
    others = others - redis.call('ZREM', waiters, instance)
  elseif redis.call('ZSCORE', waiters, instance) then
    others = others - 1
  end
end

if owner and last >= block then
  return {GRANTED, last - block + 1, others}
end
local first = math.max(last + 1, micros(), floor + 1)
redis.call('SET', fence, string.format('%.0f', first + block - 1), 'PX', memory)
redis.call('SET', lock, token, 'PX', lease)
return {GRANTED, first, others}
