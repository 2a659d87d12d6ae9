-- Signals the longest waiting instance, and removes it from the queue. A dead one has no subscriber: it is dropped, and
-- the next one is tried.
-- Uses lock, waiters and name, see release.lua; mayWait, whether the queue may exist; leaves, nil or a position: then only
-- an instance behind it is signalled, 0 for any; uncounted, whether PUBLISH does not count all subscribers; and TRIES,
-- SIGNALLED, UNSIGNALLED and DONE.
-- Sets woken, one of these, and unsent, the instance and the message if the server refused to publish it.
local woken, unsent = DONE, nil
for _ = 1, mayWait and TRIES or 0 do
  local longest
  if leaves and leaves ~= '0' then
    longest = redis.pcall('ZRANGEBYSCORE', waiters, '(' .. leaves, '+inf', 'LIMIT', 0, 1)
  else
    longest = redis.pcall('ZPOPMIN', waiters)
  end
  if longest.err then
    woken = UNSIGNALLED
    break
  end
  if not longest[1] then
    break
  end
  if leaves then
    redis.call('ZREM', waiters, longest[1])
  end
  local prefix, tag, slot = string.match(lock, '^([^{]*){([^}]*)}:?p?(%d*)$')
  local message = (slot ~= '' and '%=' .. slot .. ':' or '') .. (name ~= '' and name or tag)
  local receivers = redis.pcall('PUBLISH', prefix .. 'mailbox:' .. longest[1], message)
  if type(receivers) == 'table' then
    woken, unsent = UNSIGNALLED, longest[1] .. ' ' .. message
    break
  end
  if receivers > 0 or uncounted then
    woken = SIGNALLED
    break
  end
end
