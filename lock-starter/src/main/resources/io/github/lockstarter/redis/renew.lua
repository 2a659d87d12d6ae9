-- Lets the lease of a token end no earlier than the given time from now.
--
-- KEYS[1]  lock: string, the token of the owner
-- ARGV[1]  token of the hold
-- ARGV[2]  lease in ms
--
-- Returns a status:
--   1  the token has the lock, and its lease is now at least this long
--   0  the token does not have the lock; nothing was changed

local lock = KEYS[1]
local token, lease = ARGV[1], tonumber(ARGV[2])

local owner = redis.pcall('GET', lock)
if type(owner) == 'table' and string.sub(owner.err, 1, 9) ~= 'WRONGTYPE' then
  return owner
end
if owner ~= token then
  return 0
end

-- A longer lease is left as it is. Without any (-1, somebody's PERSIST), a crash would block the lock for ever.
if redis.call('PTTL', lock) < lease then
  redis.call('PEXPIRE', lock, lease)
end
return 1
