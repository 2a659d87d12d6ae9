-- Lets the lease of each token end no earlier than the given time from now. Each lock has an outcome of its own: what goes
-- wrong with one touches no other. Brings one lock back if a new history may have forgotten it and nobody has it.
--
-- For each lock i:
-- KEYS[i]          lock: string, as acquire.lua has it
-- ARGV[2 * i + 3]  token of the hold
-- ARGV[2 * i + 4]  lease in ms
-- For all of them; this key absent where locks and marker are on two servers just now, so that there is no look:
-- KEYS[count + 1]  history: as check_history.lua has it, and the next one
-- ARGV[1]          known
-- ARGV[2]          grace: how old a history must be for a lock that is not there to be lost, in ms
-- ARGV[3]          quiet: how old a history must be for renewals, in ms
-- For one lock alone, to bring it back; else absent and empty:
-- KEYS[count + 2]  fence: string, the counter, as acquire.lua has it
-- ARGV[4]          last fencing token of the hold; 0 if it is not known, so that the lock is not brought back
--
-- Returns {statuses, problem, marker, retry after}: a status per lock, in their order; the error of the last one that has
-- status ?, else empty; the marker, empty if it is the caller's; in ms, how long the history stays younger than quiet, or else
-- than the grace, 0 if it is older
--   1  the token has the lock, and its lease is now at least this long. If it was brought back, the counter is no lower than
--      the hold's last fencing token
--   0  the token does not have the lock; nothing was changed
--   d  the history is younger than quiet; nothing was changed
--   f  nobody has the lock, and the history is younger than the grace: the server may have forgotten it. Nothing was changed; a
--      call for this lock alone brings it back
--   ?  the server refused a command; the lock and its lease are what they were

local count = (#ARGV - 4) / 2
local history, fence, newest = KEYS[count + 1], KEYS[count + 2], tonumber(ARGV[4])
local known, grace, quiet = ARGV[1], ARGV[2], ARGV[3]

local checked, isDryRun
-- include check_history.lua: leaves marker, age, micros and refusal

local statuses, last, retry = {}, '', 0
local deferred = age and age < quiet * 1000 and 'd'
local forgotten = age and age < grace * 1000 and 'f'
if deferred or forgotten then
  retry = math.ceil((deferred and quiet or grace) - age / 1000)
end

for i = 1, count do
  local lock, token, lease = KEYS[i], ARGV[2 * i + 3], ARGV[2 * i + 4]
  local status, refused = deferred or '0', refusal

  local owner = not refusal and not deferred and redis.pcall('GET', lock)
  if type(owner) == 'string' and string.sub(owner, -#token) == token then
    status = '1'
    -- A longer lease is left as it is. Without any (-1, somebody's PERSIST), a crash would block the lock for ever.
    local left = redis.pcall('PTTL', lock)
    if type(left) == 'table' then
      refused = left
    elseif left < tonumber(lease) then
      local set = redis.pcall('PEXPIRE', lock, lease)
      refused = type(set) == 'table' and set or refused
    end
  elseif type(owner) == 'table' then
    refused = string.sub(owner.err, 1, 9) ~= 'WRONGTYPE' and owner
  elseif not owner and not refusal and forgotten and not deferred and fence then
    if newest > 0 then
      status = '1'
      -- The counter first: the lock must not be there without it.
      local block, floor = 1, 0
      -- include fencing_tokens.lua: leaves problem
      local set = problem or redis.pcall('SET', lock, string.format('%016.0f ', newest) .. token, 'PX', lease)
      refused = set.err and set
    end
  elseif not owner then
    status = deferred or forgotten or '0'
  end

  if refused then
    status, last = '?', refused.err
  end
  statuses[i] = status
end

local told = not refusal and marker ~= known and marker or ''
return {table.concat(statuses), last, told, retry}
