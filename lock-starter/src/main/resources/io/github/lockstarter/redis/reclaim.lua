-- Brings a lock back that a new history may have forgotten: as renew, for one lock, that is set again if nobody has it.
--
-- KEYS[1]  lock: string, the token of the owner
-- KEYS[2]  fence: string, the last fencing token that was granted
-- KEYS[3]  history: string, the marker of the history that granted locks belong to
-- ARGV[1]  known: the marker that the caller saw last, or else the name of the history that it trusts without a
--          marker; empty if it saw none and trusts any; any other text if it trusts none
-- ARGV[2]  grace: how old a history must be for a lock that is not there to be lost, in ms
-- ARGV[3]  quiet: how old a history must be for renewals, in ms
-- ARGV[4]  token of the hold
-- ARGV[5]  lease in ms
-- ARGV[6]  last fencing token of the hold; 0 if it is not known, which cannot be brought back
--
-- Returns {status, problem, marker, retry after} as renew does for one lock, without its status f, and with 0 unless the status is d:
--   1  the token has the lock, and its lease is now at least this long
--   0  the token does not have the lock, or nobody has and the history is old enough; nothing was changed
--   d  the history is younger than quiet, for so long; nothing was changed
--   ?  the server refused a command; the lock and its lease are what they were

local lock, fence, history = KEYS[1], KEYS[2], KEYS[3]
local known, grace, quiet = ARGV[1], ARGV[2], ARGV[3]
local token, lease, fencing = ARGV[4], ARGV[5], tonumber(ARGV[6])

-- As in acquire.
local LIMIT = 9007199254740992
local MEMORY, MEMORY_IN_LEASES = 129600000, 3

-- include look.lua: leaves marker, age, micros and refusal

-- The fence first: to raise it to what was granted changes nothing.
local function reclaim()
  local stored = redis.pcall('GET', fence)
  if type(stored) == 'table' then
    return stored
  end
  local last = tonumber(stored or '0')
  if not last or last % 1 ~= 0 or last >= LIMIT or last < fencing then
    local memory = math.max(MEMORY, MEMORY_IN_LEASES * lease) + math.max(0, math.ceil((fencing - micros) / 1000))
    local written = redis.pcall('SET', fence, fencing, 'PX', memory)
    if written.err then
      return written
    end
  end
  return redis.pcall('SET', lock, token, 'PX', lease)
end

local retry = 0
local owner, outcome
local status = '0'
if age and age < quiet * 1000 then
  status, retry = 'd', math.ceil(quiet - age / 1000)
elseif not refusal then
  owner = redis.pcall('GET', lock)
  if owner == token then
    status = '1'
    outcome = redis.pcall('PTTL', lock)
    if type(outcome) == 'number' and outcome < tonumber(lease) then
      outcome = redis.pcall('PEXPIRE', lock, lease)
    end
  elseif type(owner) == 'table' then
    refusal = string.sub(owner.err, 1, 9) ~= 'WRONGTYPE' and owner
  elseif not owner and fencing > 0 and age and age < grace * 1000 then
    status = '1'
    outcome = reclaim()
  end
end
if type(outcome) == 'table' and outcome.err then
  refusal = outcome
end
if refusal then
  return {'?', refusal.err, '', 0}
end
return {status, '', marker ~= known and marker or '', retry}
