-- Signals the instance that waits longest. One that nobody listens for is dead: the next one is tried.
-- A failure does not fail the release: the lock is free, and waiters look again by themselves.
-- One that is signalled for a further slot, called <prefix>{<tag>}:p<i>, receives '%=', the number, ':' and the name: where nobody
-- waits for so many permits, it passes the signal on.
-- Takes lock, waiters, name, uncounted, mayWait and the statuses of the script that includes it, and leaves one of these.
-- How many instances to try if nobody listens for the first ones; the rest is left to their own look.
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
