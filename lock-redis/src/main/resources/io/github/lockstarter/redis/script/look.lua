-- Checks whether the owner's instance is gone (docs/design.md): marks an instance without subscription, or finds that
-- it has been missing for the takeover time of the lock.
-- Uses lock, owner, micros (the time, if already read), grace in ms, and counted (results of earlier checks in this
-- call by instance, or nil).
-- Sets isAbandoned (grant the lock to the next owner), unacknowledged (argument of acknowledge.lua, if replicas must
-- acknowledge first), heard (the lock may be taken over, but its instance is subscribed), gone (the instance), label
-- (its token from the vertical bar on) and micros.
-- After any failure the instance counts as alive.
-- The mark, <prefix>doubt:<instance>: its begin, the last check, and how long the instance had been missing by then, in
-- microseconds. One check adds at most three fifths of the takeover time, since nobody was subscribed to a paused
-- server. The trace, <prefix>taken:<instance>: the begin of the mark by which locks are taken over; with a plus sign
-- once all replicas have it. An instance's marks have distinct begins. A mark expires a fixed time after its begin, and
-- the trace a grace later: it outlives every lease that the owner may have at the last takeover by it.
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
