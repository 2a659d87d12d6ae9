-- Lets the lease of each token end no earlier than the given time from now. Each lock has an outcome of its own: what goes
-- wrong with one touches no other.
--
-- For each lock i:
-- KEYS[i]          lock: string, the token of the owner
-- ARGV[2 * i + 2]  token of the hold
-- ARGV[2 * i + 3]  lease in ms
-- For all of them; the arguments are empty if the guard is off:
-- KEYS[count + 1]  history: string, the marker of the history that granted locks belong to; absent if the guard is off
-- ARGV[1]          known: the marker that the caller saw last, or else the name of the history that it trusts without a
--                  marker; empty if it saw none and trusts any; any other text if it trusts none
-- ARGV[2]          grace: how old a history must be for a lock that is not there to be lost, in ms
-- ARGV[3]          quiet: how old a history must be for renewals, in ms
--
-- Returns {statuses, problem, marker, retry after}: a status per lock, in their order; the error of the last one that has
-- status ?, else empty; the marker, empty if it is the caller's; in ms, how long the
-- history stays younger than quiet, or else than the grace, whatever the statuses; 0 if it is older
--   1  the token has the lock, and its lease is now at least this long
--   0  the token does not have the lock; nothing was changed
--   d  the history is younger than quiet, for so long; nothing was changed
--   f  nobody has the lock, and the history is younger than the grace, for so long: the server may have forgotten it. Nothing
--      was changed; the reclaim script brings it back
--   ?  the server refused a command; the lease is what it was

local count = (#ARGV - 3) / 2
local history, known, grace, quiet = KEYS[count + 1], ARGV[1], ARGV[2], ARGV[3]

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

local statuses, problem, retry = {}, '', 0
local deferred = age and age < quiet * 1000 and 'd'
local forgotten = age and age < grace * 1000 and 'f'
if deferred or forgotten then
  retry = math.ceil((deferred and quiet or grace) - age / 1000)
end

for i = 1, count do
  local lock, token, lease = KEYS[i], ARGV[2 * i + 2], ARGV[2 * i + 3]
  local status, refused = deferred or '0', refusal

  local owner = not refusal and not deferred and redis.pcall('GET', lock)
  if owner == token then
    status = '1'
    -- A longer lease is left as it is. Without any (-1, somebody's PERSIST), a crash would block the lock for ever.
    local left = redis.pcall('PTTL', lock)
    if type(left) == 'table' then
      refused = left
    elseif left < tonumber(lease) then
      local set = redis.pcall('PEXPIRE', lock, lease)
      refused = type(set) == 'table' and set
    end
  elseif type(owner) == 'table' then
    refused = string.sub(owner.err, 1, 9) ~= 'WRONGTYPE' and owner
  elseif not owner then
    status = deferred or forgotten or '0'
  end

  if refused then
    status, problem = '?', refused.err
  end
  statuses[i] = status
end

local told = not refusal and marker ~= known and marker or ''
return {table.concat(statuses), problem, told, retry}
