-- Rewrites the trace of a takeover, so that a following WAIT on the same connection covers it; or records that all
-- replicas have it (look.lua). No effect if another mark has begun since.
--
-- KEYS[1]  trace: string, <prefix>taken:<instance>
-- ARGV[1]  begin of the mark
-- ARGV[2]  new value: the begin, or the begin and a plus sign
--
-- Returns a status:
--   1  written, or recorded before
--   0  the trace is another one, or absent

local trace = KEYS[1]
local begin, text = ARGV[1], ARGV[2]

local WRITTEN, ANOTHER = 1, 0

local stored = redis.call('GET', trace)
if stored ~= begin and stored ~= begin .. '+' then
  return ANOTHER
end
-- Never removes the plus sign.
if stored == begin then
  redis.call('SET', trace, text, 'KEEPTTL')
end
return WRITTEN
