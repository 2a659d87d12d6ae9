-- Signals the instance that waits longest. One that nobody listens for is dead: the next one is tried.
-- A failure does not fail the release: the lock is free, and waiters look again by themselves.
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
  local prefix, tag = string.match(lock, '^([^{]*){([^}]*)}')
  local receivers = redis.pcall('PUBLISH', prefix .. 'mailbox:' .. longest[1], name ~= '' and name or tag)
  if type(receivers) == 'table' then
    woken = UNSIGNALLED
    break
  end
  if receivers > 0 or uncounted then
    woken = SIGNALLED
    break
  end
end
