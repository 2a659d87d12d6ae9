-- Lets the lease of each token end no earlier than the given time from now. Each lock has an outcome of its own: what goes
-- wrong with one touches no other.
--
-- For each lock i:
-- KEYS[i]          lock: string, the token of the owner
-- ARGV[2 * i - 1]  token of the hold
-- ARGV[2 * i]      lease in ms
--
-- Returns a string: a status per lock, in their order, then the error of the last one that has status ?
--   1  the token has the lock, and its lease is now at least this long
--   0  the token does not have the lock; nothing was changed
--   ?  the server refused a command; the lease is what it was

local statuses, problem = {}, ''

for i = 1, #KEYS do
  local lock, token, lease = KEYS[i], ARGV[2 * i - 1], ARGV[2 * i]
  local status, refusal = '0', nil

  local owner = redis.pcall('GET', lock)
  if owner == token then
    status = '1'
    -- A longer lease is left as it is. Without any (-1, somebody's PERSIST), a crash would block the lock for ever.
    local left = redis.pcall('PTTL', lock)
    if type(left) == 'table' then
      refusal = left.err
    elseif left < tonumber(lease) then
      local set = redis.pcall('PEXPIRE', lock, lease)
      refusal = type(set) == 'table' and set.err
    end
  elseif type(owner) == 'table' and string.sub(owner.err, 1, 9) ~= 'WRONGTYPE' then
    refusal = owner.err
  end

  if refusal then
    status, problem = '?', refusal
  end
  statuses[i] = status
end

return table.concat(statuses) .. problem
