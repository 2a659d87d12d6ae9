-- Answers several attempts for locks that share a history and a counter, each as acquire does. Each attempt asks for one fencing
-- token and not for the time, and its instance only tries, or waits without a position.
--
-- For each lock i:
-- KEYS[i]          lock: string, as acquire has it; lives as long as the lease
-- KEYS[count + i]  waiters: sorted set of the instances that wait
-- ARGV[4 * i]      token of this attempt
-- ARGV[4 * i + 1]  lease in ms
-- ARGV[4 * i + 2]  floor: the fencing token must be greater
-- ARGV[4 * i + 3]  empty if the instance only tries; if it waits, the name of the lock as a mailbox is told it, or '=' if that is
--                  the tag
-- For all of them:
-- KEYS[2 * count + 1]  fence: string, the last fencing token that was granted for any of the locks
-- KEYS[2 * count + 2]  history: string, the marker of the history that granted locks belong to
-- KEYS[2 * count + 3]  checked: as acquire has it
-- ARGV[1]  known: as acquire has it
-- ARGV[2]  grace: how old a history must be for grants, in ms
-- ARGV[3]  patience: how long to keep the instances that wait in the queues, in ms; empty if none waits
--
-- Returns for each lock, in their order, what acquire returns, or
--   {-2, 0, 0, text}  the server refused: not granted; the others may be
-- While the note (checked) stands, the locks are assumed to be free: one step of the counter serves all of them, and the fencing
-- token meant for a lock that is not free remains unused. Without it, a lock that is not free costs no write.

local count = (#ARGV - 3) / 4
local fence, history, checked = KEYS[2 * count + 1], KEYS[2 * count + 2], KEYS[2 * count + 3]
local known, grace, patience = ARGV[1], ARGV[2], ARGV[3]

-- include check_history.lua: leaves marker, age, micros, refusal and isNamed

local first
if isChecked then
  local block, floor = count, 0
  -- include fencing_tokens.lua: leaves taken, micros and problem
  first = not problem and taken
end

-- Made where a lock is not free.
local attempt
local REFUSED = -2
local replies = {}
for i = 1, count do
  local lock, token, lease, floor = KEYS[i], ARGV[4 * i], ARGV[4 * i + 1], tonumber(ARGV[4 * i + 2])
  local waiters, name = KEYS[count + i], ARGV[4 * i + 3]
  local fencing = first and first + i - 1 or 0
  local set = fencing > floor and redis.pcall('SET', lock, string.format('%016.0f ', fencing) .. token, 'PX', lease, 'NX')
  if set and set.ok then
    replies[i] = fencing
  else
    attempt = attempt or function(lock, waiters, token, lease, floor, name)
      local block, position, timed, micros = 1, nil, nil, micros
      local waits = name ~= ''
      name = name ~= '=' and name or nil
      -- include attempt.lua
    end
    -- What was granted before stays granted, whatever the server refuses now.
    local isAnswered, reply = pcall(attempt, lock, waiters, token, lease, floor, name)
    if isAnswered and not (type(reply) == 'table' and reply.err) then
      replies[i] = reply
    else
      replies[i] = {REFUSED, 0, 0, type(reply) == 'table' and reply.err or tostring(reply)}
    end
  end
end
return replies
