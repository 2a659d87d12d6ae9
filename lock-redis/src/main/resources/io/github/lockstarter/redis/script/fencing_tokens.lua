-- Takes the next fencing tokens of a lock. Takes fence, block, floor and lease, as the script that includes it documents them;
-- repeated, whether the token had the lock before; and micros, the time if it was asked for.
-- Leaves first, the first of the tokens, micros, and problem, what the server refused: then no token was taken.
-- From here on doubles, which Lua counts with, skip integers.
local LIMIT = 9007199254740992
-- Half a day, in microseconds as fencing tokens are.
local WINDOW = 43200000000
-- In ms, and for leases longer than a seven-digit number of ms.
local MEMORY, MEMORY_IN_LEASES, SHORT_LEASE_DIGITS = 129600000, 3, 7
-- In microseconds: how far the expiry of the counter follows tokens that are ahead of the clock.
local MOST_AHEAD = WINDOW
local first, problem = 0, nil
local stored = redis.pcall('GET', fence)
if type(stored) == 'table' then
  problem = stored
else
  -- Garbage, also NaN, counts as never granted: the clock is far above every real token.
  local last = tonumber(stored or '0')
  if not last or last % 1 ~= 0 or last < 0 or last >= LIMIT - block then
    last = 0
  end
  first = last - block + 1
  if not repeated or last < block or first <= floor then
    if not micros then
      local now = redis.pcall('TIME')
      if now.err then
        problem = now
      else
        micros = now[1] * 1000000 + now[2]
      end
    end
    if not problem then
      -- An owner that is raised gets the number it names and no other, which is what makes a repetition the same.
      first = repeated and last >= block and floor + 1 or math.max(last + 1, micros, floor + 1)
      local newest = first + block - 1
      -- To write an expiry costs more than to keep it: once per window is enough for what is to be remembered for two more.
      -- It counts from the token, which may be ahead of the clock: when the counter is forgotten, the clock is above it. A
      -- token that is ahead by more than that is of a clock that was wrong: it does not make the counter immortal, and each
      -- grant writes the expiry, since the token stays in its window for as long as it is ahead.
      local written
      local ahead = newest - micros
      if ahead <= MOST_AHEAD and last - last % WINDOW == newest - newest % WINDOW and #lease <= SHORT_LEASE_DIGITS then
        written = redis.pcall('SET', fence, newest, 'KEEPTTL')
      else
        local memory = math.max(MEMORY, MEMORY_IN_LEASES * lease)
          + math.ceil(math.min(math.max(0, ahead), MOST_AHEAD) / 1000)
        written = redis.pcall('SET', fence, newest, 'PX', memory)
      end
      problem = written.err and written or nil
    end
  end
end
