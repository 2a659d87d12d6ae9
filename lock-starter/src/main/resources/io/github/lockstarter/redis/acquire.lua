-- Grants a free lock to a token, or says how long another owner has it and puts the instance in the queue.
-- The same token asking again gets the same answer: the client repeats what it sent when a connection breaks.
--
-- KEYS[1]  lock: string, the token of the owner; lives as long as the lease
-- KEYS[2]  fence: string, the last fencing token that was granted
-- KEYS[3]  waiters: sorted set of the instances that wait; the score is their position, in microseconds
-- ARGV[1]  token of this attempt
-- ARGV[2]  lease in ms
-- ARGV[3]  floor: the fencing token must be greater
-- ARGV[4]  how long to remember the fencing token, in ms; longer than the lease
-- ARGV[5]  instance that asks
-- ARGV[6]  patience: how long to keep the instance in the queue, in ms; 0 if it does not wait
-- ARGV[7]  position of the instance as told by an earlier answer; 0 for the end of the queue
--
-- Returns {status, value, position}:
--   {1, fencing token, 0}            granted
--   {0, remaining lease, position}   another owner has it: in ms, -1 if it never ends by itself; position 0 if not waiting
--   {-1, n, 0}                       KEYS[n] holds another type: not granted
-- Any error means not granted: the lock is written last.

local lock, fence, waiters = KEYS[1], KEYS[2], KEYS[3]
local token, lease, floor, memory = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
local instance, patience, position = ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[7])

local GRANTED, CONTENDED, WRONG_TYPE = 1, 0, -1
-- From here on doubles, which Lua counts with, skip integers.
local LIMIT = 9007199254740992

local function is_error(reply)
  return type(reply) == 'table' and reply.err ~= nil
end

local function failed(reply, key)
  if string.sub(reply.err, 1, 9) == 'WRONGTYPE' then
    return {WRONG_TYPE, key, 0}
  end
  return reply
end

local function micros()
  local now = redis.call('TIME')
  return tonumber(now[1]) * 1000000 + tonumber(now[2])
end

local owner = redis.pcall('GET', lock)
if is_error(owner) then
  return failed(owner, 1)
end

if owner and owner ~= token then
  local place = 0
  if patience > 0 then
    local registered = redis.pcall('ZSCORE', waiters, instance)
    if is_error(registered) then
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
  end
  return {CONTENDED, redis.call('PTTL', lock), place}
end

local stored = redis.pcall('GET', fence)
if is_error(stored) then
  return failed(stored, 2)
end
-- Garbage, also NaN, counts as never granted: the clock is far above every real token.
local last = tonumber(stored or '0')
if not last or last ~= math.floor(last) or last < 0 or last >= LIMIT then
  last = 0
end

if owner == token and last > 0 then
  return {GRANTED, last, 0}
end

if patience > 0 then
  local removed = redis.pcall('ZREM', waiters, instance)
  if is_error(removed) then
    return failed(removed, 3)
  end
end
local fencing = math.max(last + 1, micros(), floor + 1)
redis.call('SET', fence, string.format('%.0f', fencing), 'PX', memory)
redis.call('SET', lock, token, 'PX', lease)
return {GRANTED, fencing, 0}
