-- Writes the trace of a take-over once more, so that a WAIT behind this on the same connection waits for it; or notes
-- that all replicas have it (look.lua). Without effect if another mark has begun since.
--
-- KEYS[1]  trace: string, <prefix>taken:<instance>
-- ARGV[1]  the begin of the mark
-- ARGV[2]  what to write: the begin, or the begin and a plus sign
--
-- Returns a status:
--   1  written now, or noted before
--   0  the trace is another one, or gone

local trace = KEYS[1]
local begin, text = ARGV[1], ARGV[2]

local WRITTEN, ANOTHER = 1, 0

local stored = redis.call('GET', trace)
if stored ~= begin and stored ~= begin .. '+' then
  return ANOTHER
end
-- What all replicas have stays noted.
if stored == begin then
  redis.call('SET', trace, text, 'KEEPTTL')
end
return WRITTEN
