-- Decides whether another owner has crashed or is cut off: marks its lock, or finds that it was not heard for long enough.
-- Takes lock, owner, micros and MOST_OF_LABEL of the script that includes it, and leaves who it was in abandoned, if the lock is
-- to be granted to the next owner. Any failure counts as an owner that is heard.
-- The mark is the time of the last look, and for how long the owner was not heard until then. One look adds three fifths of the
-- take-over time at most, a little more than waiters have between two looks: a server that stood still has heard nobody meanwhile.
local abandoned
local stored, gone, label, time, last, unheard =
  string.match(owner, '^(%d+ ([0-9a-f]+):%d+(|[^|]*|(%d+)))|?(%d*)%+?(%d*)$')
if gone then
  local mailbox = string.match(lock, '^([^{]*){') .. 'mailbox:' .. gone
  local heard = redis.pcall('PUBSUB', 'NUMSUB', mailbox)
  if heard[2] == 0 then
    local now = redis.call('TIME')
    micros = now[1] * 1000000 + now[2]
    time = time * 1000
    unheard = last == '' and 0 or unheard + math.max(0, math.min(micros - last, math.floor(time * 3 / 5)))
    if unheard >= time then
      abandoned = string.sub(gone, 1, 8) .. string.sub(label, 1, MOST_OF_LABEL)
    else
      redis.pcall('SET', lock, string.format('%s|%.0f+%.0f', stored, micros, unheard), 'KEEPTTL')
    end
  end
end
