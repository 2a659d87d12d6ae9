-- Grants each lock that is free to its token, at once and without more: the common case of acquire, for locks that share a
-- history and a counter. Nothing is done for a lock for which there is more to say, and acquire says it.
--
-- For each lock i:
-- KEYS[i]          lock: string, as acquire has it; lives as long as the lease
-- ARGV[3 * i]      token of this attempt
-- ARGV[3 * i + 1]  lease in ms
-- ARGV[3 * i + 2]  floor: the fencing token must be greater
-- For all of them; the last two absent, and the arguments empty, if the guard is off:
-- KEYS[count + 1]  fence: string, the last fencing token that was granted for any of the locks
-- KEYS[count + 2]  history: string, the marker of the history that granted locks belong to
-- KEYS[count + 3]  checked: as acquire has it
-- ARGV[1]          known: the marker that the caller saw last
-- ARGV[2]          grace: how old a history must be for grants, in ms
--
-- Returns for each lock, in their order:
--   the fencing token   granted
--   0                   not granted: it is not free, or the history is young or not the caller's, or a command was refused
-- A lock whose token has it already is not granted either: the client sends a batch again when a connection breaks. The
-- fencing token of a lock that is not granted is no one's.

local count = (#ARGV - 2) / 3
local fence, history, checked = KEYS[count + 1], KEYS[count + 2], KEYS[count + 3]
local known, grace = ARGV[1], ARGV[2]

-- include check_history.lua: leaves marker, age, micros, refusal and isNamed
local open = not refusal and marker == known and not (age and age < grace * 1000)

local first
if open then
  local block, floor, isNoted = count, 0, isChecked
  -- include fencing_tokens.lua: leaves taken, micros and problem
  first = not problem and taken
end
if first and checked and not isChecked and isNamed then
  -- include note_check.lua
end

local tokens = {}
for i = 1, count do
  local lock, token, lease, floor = KEYS[i], ARGV[3 * i], ARGV[3 * i + 1], tonumber(ARGV[3 * i + 2])
  local fencing = first and first + i - 1 or 0
  local set = fencing > floor and redis.pcall('SET', lock, string.format('%016.0f ', fencing) .. token, 'PX', lease, 'NX')
  tokens[i] = set and set.ok and fencing or 0
end
return tokens
