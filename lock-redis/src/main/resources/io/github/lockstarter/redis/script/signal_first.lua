-- Signals the first waiting instance, which keeps its place, since it may write. A dead one is dropped.
-- Uses waiters, mailbox, message, uncounted and TRIES, see acquire_read.lua; and mayWait, whether any may wait.
-- Sets unsent, the instance if the server refused to publish the message.
local unsent
for _ = 1, mayWait and TRIES or 0 do
  local first = redis.pcall('ZRANGEBYSCORE', waiters, '(0', '+inf', 'LIMIT', 0, 1)
  local receivers = first[1] and redis.pcall('PUBLISH', mailbox .. first[1], message)
  unsent = type(receivers) == 'table' and first[1] or nil
  if not receivers or unsent or receivers > 0 or uncounted then
    break
  end
  redis.pcall('ZREM', waiters, first[1])
end
