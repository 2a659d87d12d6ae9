-- Grants each lock that is free to its token, at once and without more: the common case of acquire, for locks that share a
-- history. Nothing is done for a lock for which there is more to say, and acquire says it.
--
-- For each lock i:
-- KEYS[2 * i - 1]  lock: string, the token of the owner; lives as long as the lease
-- KEYS[2 * i]      fence: string, the last fencing token that was granted
-- ARGV[3 * i]      token of this attempt
-- ARGV[3 * i + 1]  lease in ms
-- ARGV[3 * i + 2]  floor: the fencing token must be greater
-- For all of them; absent, and the arguments empty, if the guard is off:
-- KEYS[2 * count + 1]  history: string, the marker of the history that granted locks belong to
-- KEYS[2 * count + 2]  checked: as acquire has it
-- ARGV[1]          known: the marker that the caller saw last
-- ARGV[2]          grace: how old a history must be for grants, in ms
--
-- Returns for each lock, in their order:
--   the fencing token   granted
--   0                   not granted: it is not free, or the history is young or not the caller's, or a command was refused
-- A lock whose token has it already is not granted either: the client sends a batch again when a connection breaks.

local count = (#ARGV - 2) / 3
local history, checked = KEYS[2 * count + 1], KEYS[2 * count + 2]
local known, grace = ARGV[1], ARGV[2]

-- include check_history.lua: leaves marker, age, micros and refusal
local open = not refusal and marker == known and not (age and age < grace * 1000)
if checked and open and not isChecked then
  -- include note_check.lua
end

local block, repeated = 1, false
local tokens = {}
for i = 1, count do
  local lock, fence, token, lease, floor = KEYS[2 * i - 1], KEYS[2 * i], ARGV[3 * i], ARGV[3 * i + 1], ARGV[3 * i + 2]
  floor = tonumber(floor)
  local granted = 0
  local set = open and redis.pcall('SET', lock, token, 'PX', lease, 'NX')
  if set and set.ok then
    -- include fencing_tokens.lua: leaves first, micros and problem
    if problem then
      redis.pcall('DEL', lock)
    else
      granted = first
    end
  end
  tokens[i] = granted
end
return tokens
