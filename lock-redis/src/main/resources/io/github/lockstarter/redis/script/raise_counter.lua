-- Raises the counter of fencing tokens to newest, unless it is there already. Takes fence, newest, and micros, the time if it was
-- asked for. Leaves problem, what the server refused: then the counter is what it was.
-- A counter that holds no fencing token starts at the time, unless newest is later, as it does when it grants the next one.
local LIMIT, LEAST = 9007199254740992, 1000000000000000
local problem
local stored = redis.pcall('GET', fence)
if type(stored) == 'table' then
  problem = stored
else
  local last = tonumber(stored or '0')
  local isLost = not last or last % 1 ~= 0 or last < LEAST or last >= LIMIT
  if isLost and not micros then
    local now = redis.pcall('TIME')
    if now.err then
      problem = now
    else
      micros = now[1] * 1000000 + now[2]
    end
  end
  if not problem and (isLost or last < newest) then
    local written = redis.pcall('SET', fence, isLost and math.max(micros, newest) or newest)
    problem = written.err and written or nil
  end
end
