-- Records that an instance is alive: removes its mark (look.lua), so that none of its locks is taken over for a
-- takeover time from now. Then checks the owners of locks that the instance waits for.
--
-- KEYS[1]      mark: string, <prefix>doubt:<instance>
-- KEYS[2]      trace: string, <prefix>taken:<instance>
-- KEYS[3]      history, and the next three: see check_history.lua
-- KEYS[4]      before
-- KEYS[4 + i]  lock that the instance waits for: string, see acquire.lua
-- ARGV[1]  known
-- ARGV[2]  grace
--
-- Returns texts; after any error the beat does not count:
--   the marker; empty if the server does not report its history id, so that a failover may go undetected
--   the trace without its plus sign; empty if there is none
--   the previous history's marker; empty if unknown
--   the server's uptime in seconds, perhaps rounded up
--   the error of using a key that is not declared; empty if there is none
--   for each lock, in order: '1' if the next attempt takes it over; the text to acknowledge if that must happen first;
--   else empty

local mark, trace, history, before = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local known, grace = ARGV[1], ARGV[2]

local checked, isDryRun
-- include check_history.lua: leaves marker, recovering, micros, refusal and isNamed
if refusal then
  return refusal
end

-- Also without a mark: a server that no longer executes writes must not answer.
redis.call('DEL', mark)
local taken = string.match(redis.call('GET', trace) or '', '^%d+') or ''
-- Like look.lua, which reads keys of the owner that it finds in a lock: no call can declare these.
local other = redis.pcall('EXISTS', history .. ':undeclared')
local running = redis.pcall('INFO', 'server')
running = type(running) == 'string' and string.match(running, 'uptime_in_seconds:(%d+)') or '0'
local reply = {isNamed and marker or '', taken, redis.call('GET', before) or '', running}
reply[5] = type(other) == 'table' and other.err or ''
local counted = {}
for i = 1, #KEYS - 4 do
  local lock, found = KEYS[4 + i], ''
  local owner = isNamed and not recovering and redis.pcall('GET', lock)
  if type(owner) == 'string' then
    -- include look.lua: leaves isAbandoned and unacknowledged
    found = unacknowledged or (isAbandoned and '1') or ''
  end
  reply[5 + i] = found
end
return reply
