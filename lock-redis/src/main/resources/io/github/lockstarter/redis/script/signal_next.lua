-- Signals the longest waiting instance. If it has no subscriber it is dead, and the next one is tried.
-- A failure does not fail the release: the lock is free, and waiters poll.
-- For a slot other than the first, <prefix>{<tag>}:p<i>, the message is '%=', the number, ':' and the name; an instance
-- without waiters for so many permits passes the signal on.
-- Uses lock, waiters, name, uncounted, mayWait and the statuses of the including script; sets woken to a status.
-- Maximum number of instances to try; later ones poll.
local TRIES = 16
local woken = DONE
for _ = 1, mayWait and TRIES or 0 do
  local longest = redis.pcall('ZPOPMIN', waiters)
  if longest.err then
    woken = UNSIGNALLED
    break
  end
  if not longest[1] then
    break
  end
  local prefix, tag, slot = string.match(lock, '^([^{]*){([^}]*)}:?p?(%d*)$')
  local message = (slot ~= '' and '%=' .. slot .. ':' or '') .. (name ~= '' and name or tag)
  local receivers = redis.pcall('PUBLISH', prefix .. 'mailbox:' .. longest[1], message)
  if type(receivers) == 'table' then
    woken = UNSIGNALLED
    break
  end
  if receivers > 0 or uncounted then
    woken = SIGNALLED
    break
  end
end
