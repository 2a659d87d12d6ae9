-- Renews one lock as renew does, and keeps what belongs to a lock that is held for long: brings the lock back if a new history
-- may have forgotten it and nobody has it, and has the fence live on that a day-old grant has left.
--
-- KEYS[1]  lock: string, the token of the owner
-- KEYS[2]  fence: string, the last fencing token that was granted
-- KEYS[3]  history: string, the marker of the history that granted locks belong to; absent if the guard is off, and the first
--          three arguments are empty
-- ARGV[1]  known: the marker that the caller saw last, or else the name of the history that it trusts without a
--          marker; empty if it saw none and trusts any; any other text if it trusts none
-- ARGV[2]  grace: how old a history must be for a lock that is not there to be lost, in ms
-- ARGV[3]  quiet: how old a history must be for renewals, in ms
-- ARGV[4]  token of the hold
-- ARGV[5]  lease in ms
-- ARGV[6]  last fencing token of the hold; 0 if it is not known, so that neither lock nor fence is kept
--
-- Returns {status, problem, marker, retry after} as renew does for one lock, without its status f, and with 0 unless the status is d:
--   1  the token has the lock, and its lease is now at least this long. The fence is no lower than the hold's last fencing token
--      and lives for a day at least, unless the server refused that: it is tried again with a later renewal
--   0  the token does not have the lock, or nobody has and the history is old enough; nothing was changed
--   d  the history is younger than quiet, for so long; nothing was changed
--   ?  the server refused a command; the lock and its lease are what they were

local lock, fence, history = KEYS[1], KEYS[2], KEYS[3]
local known, grace, quiet = ARGV[1], ARGV[2], ARGV[3]
local token, lease, fencing = ARGV[4], ARGV[5], tonumber(ARGV[6])

-- As in acquire.
local LIMIT = 9007199254740992
local MEMORY, MEMORY_IN_LEASES, MOST_AHEAD = 129600000, 3, 43200000000

local checked
-- include check_history.lua: leaves marker, age, micros and refusal

-- Each leaves what it wrote, or the error.
local function remember(last)
  if not micros then
    local now = redis.pcall('TIME')
    if now.err then
      return now
    end
    micros = now[1] * 1000000 + now[2]
  end
  local ahead = math.min(math.max(0, last - micros), MOST_AHEAD)
  local memory = math.max(MEMORY, MEMORY_IN_LEASES * lease) + math.ceil(ahead / 1000)
  return redis.pcall('SET', fence, last, 'PX', memory)
end

-- The number that is stored, unless it is lower than what was granted to the hold: to raise it to that changes nothing.
local function lastGranted()
  local stored = redis.pcall('GET', fence)
  if type(stored) == 'table' then
    return nil, stored
  end
  local last = tonumber(stored or '0')
  if not last or last % 1 ~= 0 or last >= LIMIT or last < fencing then
    return nil
  end
  return last
end

-- The fence first.
local function reclaim()
  local last, failure = lastGranted()
  local written = failure or (not last and remember(fencing)) or nil
  if written and written.err then
    return written
  end
  return redis.pcall('SET', lock, token, 'PX', lease)
end

-- A grant leaves more than this; to write it once or twice a day is enough.
local function keepFence()
  local left = redis.pcall('PTTL', fence)
  if type(left) == 'number' and left < math.max(MEMORY, MEMORY_IN_LEASES * lease) * 2 / 3 then
    local last, failure = lastGranted()
    if not failure then
      remember(last or fencing)
    end
  end
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
    if fencing > 0 then
      keepFence()
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
