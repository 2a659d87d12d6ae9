-- Renews one lock as renew does, and brings it back if a new history may have forgotten it and nobody has it.
--
-- KEYS[1]  lock: string, as acquire has it
-- KEYS[2]  fence: string, the counter: the last fencing token that was granted for any lock that has this counter
-- KEYS[3]  history: string, the marker of the history that granted locks belong to
-- ARGV[1]  known: the marker that the caller saw last, or else the name of the history that it trusts without a
--          marker; empty if it saw none and trusts any; any other text if it trusts none
-- ARGV[2]  grace: how old a history must be for a lock that is not there to be lost, in ms
-- ARGV[3]  quiet: how old a history must be for renewals, in ms
-- ARGV[4]  token of the hold
-- ARGV[5]  lease in ms
-- ARGV[6]  last fencing token of the hold; 0 if it is not known, so that the lock is not brought back
--
-- Returns {status, problem, marker, retry after} as renew does for one lock, without its status f, and with 0 if the status is 0:
--   1  the token has the lock, and its lease is now at least this long. If it was brought back, the counter is no lower than
--      the hold's last fencing token
--   0  the token does not have the lock, or nobody has and the history is old enough; nothing was changed
--   d  the history is younger than quiet, for so long; nothing was changed
--   ?  the server refused a command; the lock and its lease are what they were

local lock, fence, history = KEYS[1], KEYS[2], KEYS[3]
local known, grace, quiet = ARGV[1], ARGV[2], ARGV[3]
local token, lease, newest = ARGV[4], ARGV[5], tonumber(ARGV[6])

local checked
-- include check_history.lua: leaves marker, age, micros and refusal

local retry = 0
local outcome
local status = '0'
if age and age < quiet * 1000 then
  status, retry = 'd', math.ceil(quiet - age / 1000)
elseif not refusal then
  local owner = redis.pcall('GET', lock)
  if type(owner) == 'table' then
    refusal = string.sub(owner.err, 1, 9) ~= 'WRONGTYPE' and owner
  elseif owner then
    if string.sub(owner, -#token) == token then
      status = '1'
      outcome = redis.pcall('PTTL', lock)
      if type(outcome) == 'number' and outcome < tonumber(lease) then
        outcome = redis.pcall('PEXPIRE', lock, lease)
      end
    end
  elseif not owner and newest > 0 and age and age < grace * 1000 then
    status = '1'
    -- The counter first: the lock must not be there without it.
    -- include raise_counter.lua: leaves problem
    outcome = problem or redis.pcall('SET', lock, string.format('%016.0f ', newest) .. token, 'PX', lease)
  end
end
if type(outcome) == 'table' and outcome.err then
  refusal = outcome
end
if status == '1' and age and age < grace * 1000 then
  retry = math.ceil(grace - age / 1000)
end
if refusal then
  return {'?', refusal.err, '', 0}
end
return {status, '', marker ~= known and marker or '', retry}
