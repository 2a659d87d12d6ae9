-- Takes the next fencing tokens from the counter that all locks of this server share, in a cluster those of a slot. Takes fence,
-- block and floor as the script that includes it documents them; isChecked, whether the note of this server stands; and micros,
-- the time if it was asked for.
-- Leaves taken, the first of the tokens, micros, and problem, what the server refused: then no token was taken.
-- Invariant: while the note stands, the counter is no lower than the time at which the note was written. So tokens grow also if
-- the counter was lost before that, and to add to it is enough.
-- From here on doubles, which Lua counts with, skip integers.
local LIMIT = 9007199254740992
-- In microseconds, September 2001. A counter that is lower was deleted, or another program has written it.
local LEAST = 1000000000000000
local taken, problem = 0, nil
if isChecked then
  local newest = redis.pcall('INCRBY', fence, block)
  if type(newest) == 'table' then
    -- A text that is no number is replaced below.
    local isNoNumber = string.find(newest.err, 'not an integer', 1, true) or string.find(newest.err, 'overflow', 1, true)
    problem = not isNoNumber and newest or nil
  elseif newest - block >= LEAST and newest < LIMIT then
    taken = newest - block + 1
  end
end
if taken <= floor and not problem then
  local stored = redis.pcall('GET', fence)
  if type(stored) == 'table' then
    problem = stored
  elseif not micros then
    local now = redis.pcall('TIME')
    if now.err then
      problem = now
    else
      micros = now[1] * 1000000 + now[2]
    end
  end
  if not problem then
    -- Garbage, also NaN, counts as never granted: the clock is far above every real token.
    local last = tonumber(stored or '0')
    if not last or last % 1 ~= 0 or last < 0 or last >= LIMIT - block then
      last = 0
    end
    taken = math.max(last + 1, micros, floor + 1)
    local written = redis.pcall('SET', fence, taken + block - 1)
    problem = written.err and written or nil
  end
end
