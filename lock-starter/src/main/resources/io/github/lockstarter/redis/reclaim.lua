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

-- Looks whether this is the history that the caller's locks belong to, before anything else (docs/history-guard.md).
-- Leaves the marker that is stored now, its age in microseconds unless that is without limit, the time in microseconds if
-- it was asked for, and what the server refused.
local marker, age, micros, refusal = known, nil, nil, nil
if history then
  local info = redis.pcall('INFO', 'replication')
  info = type(info) == 'string' and info or ''
  local named = string.find(info, 'master_replid:', 1, true)
  local here, since, kind = string.sub(known, 1, 40), nil, nil
  local begins = false

  marker = redis.pcall('GET', history)
  if marker == known and named and string.byte(known, 41) == 58 and string.find(info, here, named, true) == named + 14 then
    -- Almost always the marker is the caller's, and names this history: as the pattern below, for a third of its price.
    since, kind = string.sub(known, 42, -7), string.sub(known, -5)
  elseif type(marker) == 'table' then
    refusal = marker
  else
    here = named and string.match(info, '^%x+', named + 14) or '?'
    local replid
    replid, since, kind = string.match(marker or '', '^([^:]+):(%d+):(%l+)$')
    local distrusts = known ~= '' and known ~= marker and known ~= here
    begins = not replid or (here ~= replid and here ~= '?') or (kind == 'first' and distrusts)
  end

  if not refusal and (begins or kind ~= 'first') then
    local now = redis.pcall('TIME')
    if now.err then
      refusal = now
    else
      micros = now[1] * 1000000 + now[2]
      age = micros - (since or micros)
      if begins or age < 0 then
        local promoted = string.find(info, 'master_replid2:0*[1-9a-f]')
        kind = (marker or promoted or (known ~= '' and known ~= here)) and 'grace' or 'first'
        age = kind == 'grace' and 0 or nil
        marker = string.format('%s:%.0f:%s', here, micros, kind)
        local written = redis.pcall('SET', history, marker)
        refusal = written.err and written
      end
    end
  end
end

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
