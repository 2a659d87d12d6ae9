-- Records that an instance is alive: removes its mark (look.lua), so that none of its locks is taken over for a
-- takeover time from now. Then checks the owners of locks that the instance waits for.
--
-- KEYS[1]      history, and the next three: see check_history.lua
-- KEYS[2]      takeovers
-- KEYS[2 + i]  lock that the instance waits for: string, see acquire.lua
-- ARGV[1]  known
-- ARGV[2]  grace
-- ARGV[3]  instance
--
-- Returns texts; after any error the beat does not count:
--   the marker; empty if the server does not report its history id, so that a failover may go undetected
--   the trace without its plus sign; empty if there is none
--   the previous history's marker; empty if unknown
--   the server's uptime in seconds, perhaps rounded up
--   for each lock, in order: '1' if the next attempt takes it over; the text to acknowledge if that must happen first;
--   else empty

local history, takeovers = KEYS[1], KEYS[2]
local known, grace, instance = ARGV[1], ARGV[2], ARGV[3]

local checked, isDryRun
-- include check_history.lua: leaves marker, recovering, micros, refusal and isNamed
if refusal then
  return refusal
end

-- Also without a mark: a server that no longer executes writes must not answer.
redis.call('HDEL', takeovers, 'doubt:' .. instance)
local taken, before = unpack(redis.call('HMGET', takeovers, 'taken:' .. instance, 'before'))
local running = redis.pcall('INFO', 'server')
running = type(running) == 'string' and string.match(running, 'uptime_in_seconds:(%d+)') or '0'
local reply = {isNamed and marker or '', string.match(taken or '', '^%d+') or '', before or '', running}
local counted = {}
for i = 1, #KEYS - 2 do
  local lock, found = KEYS[2 + i], ''
  local owner = isNamed and not recovering and redis.pcall('GET', lock)
  if type(owner) == 'string' then
    -- include look.lua: leaves isAbandoned and unacknowledged
    found = unacknowledged or (isAbandoned and '1') or ''
  end
  reply[4 + i] = found
end
return reply
