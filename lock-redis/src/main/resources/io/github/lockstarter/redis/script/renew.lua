-- Extends leases to at least the given time from now, and restores locks that have no owner and that a new history may
-- have forgotten. Each lock has its own outcome; an error of one affects no other. Without locks, it checks the history.
--
-- For each lock i:
-- KEYS[i]          lock: string, see acquire.lua
-- ARGV[3 * i + 1]  token of the hold
-- ARGV[3 * i + 2]  lease in ms
-- ARGV[3 * i + 3]  last fencing token of the hold; 0 if unknown, which prevents restoring
-- For all of them:
-- KEYS[count + 1]  history, and the last one: see check_history.lua
-- KEYS[count + 2]  fence: string, the counter, see acquire.lua
-- KEYS[count + 3]  takeovers; absent in a cluster, which has no beats: while a slot moves, a call fails if one of its
--                  keys does not exist
-- ARGV[1]          known
-- ARGV[2]          grace: minimum age of a history before an absent lock counts as lost, in ms
-- ARGV[3]          quiet: minimum age of a history for renewals, in ms
--
-- Returns {statuses, problem, marker, retry after}: a status per lock, in order; the error of the last lock with status
-- ?, or of the check of the history, else empty; the marker, empty if it is the caller's; in ms, how long the history
-- stays younger than quiet if there are locks, or else than the grace, 0 if it is older
--   1  the token has the lock, with at least this lease. If it was restored, the counter is no lower than the hold's
--      last fencing token
--   0  the token does not have the lock; nothing was changed
--   d  the history is younger than quiet; nothing was changed
--   ?  the server refused a command; the lock and its lease are unchanged

local count = (#ARGV - 3) / 3
local history, fence, takeovers = KEYS[count + 1], KEYS[count + 2], KEYS[count + 3]
local known, grace, quiet = ARGV[1], ARGV[2], ARGV[3]

local checked, isDryRun
-- include check_history.lua: leaves marker, age, micros and refusal

local statuses, last, retry = {}, refusal and refusal.err or '', 0
local deferred = count > 0 and age and age < quiet * 1000 and 'd'
local restores = age and age < grace * 1000 and not deferred
if deferred or restores then
  retry = math.ceil((deferred and quiet or grace) - age / 1000)
end

for i = 1, count do
  local lock, token, lease, newest = KEYS[i], ARGV[3 * i + 1], ARGV[3 * i + 2], tonumber(ARGV[3 * i + 3])
  local status, refused = deferred or '0', refusal

  local owner = not refusal and not deferred and redis.pcall('GET', lock)
  local isRead = token == '%read' -- which the end of an owner's label may be
  if type(owner) == 'string' and string.sub(owner, isRead and 18 or -#token) == token then
    status = '1'
    -- A longer lease is kept. Without an expiry (-1, after PERSIST), a crash would block the lock forever.
    local left = redis.pcall('PTTL', lock)
    if type(left) == 'table' then
      refused = left
    elseif left < tonumber(lease) then
      local set = redis.pcall('PEXPIRE', lock, lease)
      refused = type(set) == 'table' and set or refused
    end
  elseif type(owner) == 'table' then
    refused = string.sub(owner.err, 1, 9) ~= 'WRONGTYPE' and owner
  elseif not owner and not refusal and restores and newest > 0 then
    status = '1'
    -- The counter first: the lock must not exist without it.
    local block, floor = 1, 0
    -- include fencing_tokens.lua: leaves problem
    local set = problem or redis.pcall('SET', lock, string.format('%016.0f ', newest) .. token, 'PX', lease)
    refused = set.err and set
  end

  if refused then
    status, last = '?', refused.err
  end
  statuses[i] = status
end

local told = not refusal and marker ~= known and marker or ''
return {table.concat(statuses), last, told, retry}
