-- Takes fencing tokens from the counter of all locks of this server, in a cluster of this slot; or raises it to at
-- least newest. Uses fence, block and floor, see acquire.lua; newest, or nil; isChecked, whether the server's note
-- stands; and micros, the time, if already read.
-- Sets taken, the first token, micros, and problem, the server's error, which leaves the counter unchanged.
-- Invariant: while the note stands, the counter is no lower than the time at which the note was written. So tokens
-- increase even if the counter was lost before, and an increment suffices.
-- From here on Lua's doubles skip integers.
local LIMIT = 9007199254740992
-- September 2001 in microseconds. A lower counter was deleted, or written by another program.
local LEAST = 1000000000000000
local taken, problem = 0, nil
if isChecked and not newest then
  local last = redis.pcall('INCRBY', fence, block)
  if type(last) == 'table' then
    -- Text that is not a number is replaced below.
    local isNoNumber = string.find(last.err, 'not an integer', 1, true) or string.find(last.err, 'overflow', 1, true)
    problem = not isNoNumber and last or nil
  elseif last - block >= LEAST and last < LIMIT then
    taken = last - block + 1
  end
end
if not problem and (newest or taken <= floor) then
  local stored = redis.pcall('GET', fence)
  -- Garbage, including NaN, counts as never granted: the clock is far above every real token.
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
