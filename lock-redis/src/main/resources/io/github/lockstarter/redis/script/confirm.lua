-- Writes a lock that was granted once more as it is, so that a WAIT behind this on the same connection waits for it. A server
-- that no longer has the lock, or never had, since it is not the one that granted it, writes nothing.
--
-- KEYS[1]  lock: string, the last fencing token of the owner in 16 digits, a space, and its token; perhaps marked,
--          as acquire marks it
-- ARGV[1]  token that was granted the lock
--
-- Returns a status:
--   1  the token has the lock
--   0  it has not; nothing was written

local lock = KEYS[1]
local token = ARGV[1]

local HELD, NOT_HELD = 1, 0
-- Where the token begins in what is stored.
local TOKEN = 18

local owner = redis.call('GET', lock)
-- include is_marked.lua: leaves isMarked
if isMarked or (owner and string.sub(owner, TOKEN) == token) then
  redis.call('SET', lock, owner, 'KEEPTTL')
  return HELD
end
return NOT_HELD
