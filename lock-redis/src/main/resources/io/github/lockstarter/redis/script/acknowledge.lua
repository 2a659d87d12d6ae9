-- Rewrites the trace of a takeover, so that a following WAIT on the same connection covers it; or records that all
-- replicas have it (look.lua). No effect if another mark has begun since.
--
-- KEYS[1]  takeovers: see check_history.lua
-- ARGV[1]  instance
-- ARGV[2]  begin of the mark
-- ARGV[3]  end of the new value: empty, or a plus sign
--
-- Returns a status:
--   1  written, or recorded before
--   0  the trace is another one, or absent

local takeovers, trace = KEYS[1], 'taken:' .. ARGV[1]
local begin, sign = ARGV[2], ARGV[3]

local WRITTEN, ANOTHER = 1, 0

local stored = redis.call('HMGET', takeovers, trace)[1] or ''
if string.match(stored, '^%d+') ~= begin then
  return ANOTHER
end
-- Never removes the plus sign.
if string.sub(stored, -1) ~= '+' then
  redis.call('HSET', takeovers, trace, stored .. sign)
end
return WRITTEN
