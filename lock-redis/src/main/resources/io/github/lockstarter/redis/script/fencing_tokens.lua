-- Takes the next fencing tokens from the counter that all locks of this server share, in a cluster those of a slot; or raises it
-- to newest, unless it is there already. Takes fence, block and floor as acquire.lua documents them; newest, or nothing; isChecked,
-- whether the note of this server stands; and micros, the time if it was asked for.
-- Leaves taken, the first of the tokens, micros, and problem, what the server refused: then the counter is what it was.
-- Invariant: while the note stands, the counter is no lower than the time at which the note was written. So tokens grow also if
-- the counter was lost before that, and to add to it is enough.
-- From here on doubles, which Lua counts with, skip integers.
local LIMIT = 9007199254740992
-- In microseconds, September 2001. A counter that is lower was deleted, or another program has written it.
local LEAST = 1000000000000000
local taken, problem = 0, nil
if isChecked and not newest then
  local last = redis.pcall('INCRBY', fence, block)
  if type(last) == 'table' then
    -- A text that is no number is replaced below.
    local isNoNumber = string.find(last.err, 'not an integer', 1, true) or string.find(last.err, 'overflow', 1, true)
    problem = not isNoNumber and last or nil
  elseif last - block >= LEAST and last < LIMIT then
    taken = last - block + 1
  end
end
if not problem and (newest or taken <= floor) then
  local stored = redis.pcall('GET', fence)
  -- Garbage, also NaN, counts as never granted: the clock is far above every real token.
  local last = type(stored) ~= 'table' and tonumber(stored or '0')
  local isLost = not last or last % 1 ~= 0 or last < LEAST or last >= LIMIT - block
  last = isLost and 0 or last
  local now = not micros and (isLost or not newest) and redis.pcall('TIME')
  problem = type(stored) == 'table' and stored or now and now.err and now or nil
  if not problem then
    micros = now and now[1] * 1000000 + now[2] or micros
    taken = not newest and math.max(last + 1, micros, floor + 1)
    local least = newest and math.max(newest, isLost and micros or 0) or taken + block - 1
    local written = last < least and redis.pcall('SET', fence, least)
    problem = written and written.err and written or nil
  end
end
