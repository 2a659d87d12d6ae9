-- Checks whether the owner's instance is gone (docs/design.md): marks an instance without subscription, or finds that
-- it has been missing for the takeover time of the lock.
-- Uses lock, owner, takeovers (key, see check_history.lua), micros (the time, if already read), grace in ms, and
-- counted (results of earlier checks in this call by instance).
-- Sets isAbandoned (grant the lock to the next owner), unacknowledged (argument of acknowledge.lua, if replicas must
-- acknowledge first), heard (the lock may be taken over, but its instance is subscribed), gone (the instance), label
-- (its token from the vertical bar on) and micros.
-- After any failure the instance counts as alive.
-- The mark, field doubt:<instance>: its begin, the last check, how long the instance had been missing by then, and its
-- end, in microseconds. One check adds at most three fifths of the takeover time, since nobody was subscribed to a
-- paused server. The trace, field taken:<instance>: the begin of the mark by which locks are taken over, and its end;
-- with a plus sign once all replicas have it. An instance's marks have distinct begins. A mark ends a fixed time after
-- its begin, and the trace a grace later or more: it outlives every lease that the owner may have at the last takeover
-- by it. A new mark removes ended fields, and the key outlives all others.
local isAbandoned, unacknowledged = false, nil
local gone, label, time, byReplicas = string.match(owner, '^[%d@]+ ([0-9a-f]+):%d+(|[^|]*|(%d+)(%+?))$')
local heard = gone and counted[gone]
if gone and not heard then
  heard = redis.pcall('PUBSUB', 'NUMSUB', string.match(lock, '^([^{]*){') .. 'mailbox:' .. gone)[2] ~= 0
  counted[gone] = heard
end
if gone and not heard then
  pcall(function()
    local mark, trace = 'doubt:' .. gone, 'taken:' .. gone
    local now, known = redis.call('TIME'), redis.call('HMGET', takeovers, mark, trace)
    micros = now[1] * 1000000 + now[2]
    local begin, last, unheard, ends = string.match(known[1] or '', '^(%d+) (%d+) (%d+) (%d+)$')
    local taken, over, plus = string.match(known[2] or '', '^(%d+) (%d+)(%+?)$')
    local isNew, lasts = not begin or micros >= tonumber(ends), math.max(tonumber(grace), 20 * time)
    if isNew then
      local all = redis.call('HGETALL', takeovers)
      for i = 1, #all, 2 do
        if micros >= tonumber(string.match(all[i + 1], ' (%d+)%+?$') or math.huge) then
          redis.call('HDEL', takeovers, all[i])
        end
      end
      begin, unheard, ends = string.format('%.0f', math.max(micros, (taken or 0) + 1)), 0, micros + lasts * 1000
    else
      unheard = unheard + math.max(0, math.min(micros - last, time * 600))
    end
    redis.call('HSET', takeovers, mark, string.format('%s %.0f %.0f %.0f', begin, micros, unheard, ends))
    local isMissing = unheard >= time * 1000
    if isMissing and (taken ~= begin or micros >= tonumber(over)) then
      isNew, plus = true, ''
      redis.call('HSET', takeovers, trace, string.format('%s %.0f', begin, micros + (grace + lasts) * 1000))
    end
    if isNew and redis.call('PTTL', takeovers) < grace + lasts then
      redis.call('PEXPIRE', takeovers, grace + lasts)
    end
    isAbandoned = isMissing and (byReplicas == '' or plus == '+')
    unacknowledged = isMissing and not isAbandoned and gone .. ' ' .. begin or nil
  end)
end
