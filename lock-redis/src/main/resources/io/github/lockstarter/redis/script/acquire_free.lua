-- Grants a free lock to its token while the note of this server stands: the common case of acquire, for an attempt that asks for
-- one fencing token and for nothing else. Where there is more to look at, nothing is done, and acquire follows.
--
-- KEYS[1]  lock: string, as acquire has it; lives as long as the lease
-- KEYS[2]  fence: string, the counter: the last fencing token that was granted for any lock that has this counter
-- KEYS[3]  history: string, the marker of the history that granted locks belong to
-- KEYS[4]  checked: string, the note, as acquire has it
-- ARGV[1]  token of this attempt
-- ARGV[2]  lease in ms
-- ARGV[3]  known: the marker that the caller saw last
--
-- Returns a number:
--   the fencing token   granted
--   0                   not granted: the lock is not free, there is no note of this server, the marker is not the caller's, or a
--                       command was refused
-- A token that has the lock already is not granted it either: acquire answers that.

local lock, fence, history, checked = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local token, lease, known = ARGV[1], ARGV[2], ARGV[3]

-- As in fencing_tokens.
local LIMIT, LEAST = 9007199254740992, 1000000000000000
local NOT_GRANTED = 0

-- The marker is compared too: a command that deletes it may delete locks as well.
local stored = redis.pcall('MGET', checked, history)
if stored[1] ~= known .. tostring(redis) or stored[2] ~= known then
  return NOT_GRANTED
end
local fencing = redis.pcall('INCRBY', fence, 1)
if type(fencing) ~= 'number' or fencing <= LEAST or fencing >= LIMIT then
  return NOT_GRANTED
end
local set = redis.pcall('SET', lock, string.format('%016.0f ', fencing) .. token, 'PX', lease, 'NX')
return set and set.ok and fencing or NOT_GRANTED
