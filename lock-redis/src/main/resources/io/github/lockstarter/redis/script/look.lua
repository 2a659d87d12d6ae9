-- Looks whether the instance that has a lock is gone (docs/design.md): marks it, or finds that it was not
-- heard for the take-over time of the lock. Takes lock, owner, micros, the time if it was asked for, and grace, in ms; counted,
-- by instance, whether earlier looks of this call found that it is heard, or nothing.
-- Leaves isAbandoned, whether the lock is to be granted to the next owner; unacknowledged, for the script that acknowledges, if
-- it is but replicas have to know first; heard, whether the lock may be taken over and is not; gone, the instance, and label,
-- what its token says from the vertical bar on; micros.
-- Any failure counts as an instance that is heard.
-- The mark, <prefix>doubt:<instance>: when it began, the last look, and for how long the instance was not heard until then, in
-- microseconds. One look adds three fifths of the take-over time at most: a server that stood still has heard nobody meanwhile.
-- The trace, <prefix>taken:<instance>: the begin of the mark under which locks of the instance are taken over; with a plus sign
-- once all replicas have it. No two marks of an instance have the same begin. A mark ends at a fixed time after its begin, and
-- the trace a grace later: it outlives each lease that the owner may have at the last take-over by it.
local isAbandoned, unacknowledged = false, nil
local gone, label, time, byReplicas = string.match(owner, '^[%d@]+ ([0-9a-f]+):%d+(|[^|]*|(%d+)(%+?))$')
local prefix, heard = nil, gone and counted and counted[gone]
if gone and not heard then
  prefix = string.match(lock, '^([^{]*){')
  heard = redis.pcall('PUBSUB', 'NUMSUB', prefix .. 'mailbox:' .. gone)[2] ~= 0
  if counted then
    counted[gone] = heard
  end
end
if gone and not heard then
  local mark, trace = prefix .. 'doubt:' .. gone, prefix .. 'taken:' .. gone
  local now, known, left = redis.pcall('TIME'), redis.pcall('GET', mark), redis.pcall('GET', trace)
  if not now.err and type(known) ~= 'table' and type(left) ~= 'table' then
    micros = now[1] * 1000000 + now[2]
    left = left or ''
    local lasts = math.max(grace, 20 * time)
    time = time * 1000
    local begin, last, unheard = string.match(known or '', '^(%d+) (%d+) (%d+)$')
    if begin then
      unheard = unheard + math.max(0, math.min(micros - last, math.floor(time * 3 / 5)))
    else
      local before = tonumber(string.match(left, '^%d+')) or 0
      begin, unheard = string.format('%.0f', math.max(micros, before + 1)), 0
    end
    local text = string.format('%s %.0f %.0f', begin, micros, unheard)
    local marked = known and redis.pcall('SET', mark, text, 'KEEPTTL') or redis.pcall('SET', mark, text, 'PX', lasts)
    if not marked.err and unheard >= time then
      if left ~= begin and left ~= begin .. '+' then
        marked = redis.pcall('SET', trace, begin, 'PX', grace + lasts)
      end
      isAbandoned = not marked.err and (byReplicas == '' or left == begin .. '+')
      unacknowledged = not marked.err and not isAbandoned and gone .. ' ' .. begin or nil
    end
  end
end
