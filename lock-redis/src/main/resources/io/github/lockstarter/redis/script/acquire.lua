-- Handles one attempt, or several for locks that share a history and a counter, each separately: grants a free lock to
-- a token, or returns the remaining lease of its owner and queues the instance. A repeated attempt of the owner returns
-- its grant, since Lettuce resends commands after a reconnect; its fencing tokens are raised above the floor.
--
-- An instance is the part of its tokens before the last colon. After a vertical bar, a token may name its origin; after
-- a second one its takeover time in ms, with a plus sign if replicas must acknowledge a takeover. Tokens have one
-- colon and instances one length, so no token is a suffix of another: scripts compare the end of a lock with a token.
-- The token to replace comes from outside, so it is compared as a whole.
--
-- For each lock i:
-- KEYS[i]          lock, <prefix>{<tag>}: string, the owner's last fencing token in 16 digits, optionally '@' and the
--                  time of the grant in microseconds, a space, and the lock token; expires with the lease
-- KEYS[count + i]  waiters: sorted set of the waiting instances; the score is the position in microseconds
-- ARGV[4 * i]      token of this attempt
-- ARGV[4 * i + 1]  lease in ms
-- ARGV[4 * i + 2]  floor: fencing tokens must be greater
-- ARGV[4 * i + 3]  if the instance waits, the lock's name in mailbox messages, or '=' if it is the tag; else empty
-- For all of them:
-- KEYS[2 * count + 1]  fence: string, the counter: the last fencing token of all locks that share it
-- KEYS[2 * count + 2]  history, and the next four: see check_history.lua
-- KEYS[2 * count + 3]  checked
-- KEYS[2 * count + 4]  takeovers
-- ARGV[1]  known
-- ARGV[2]  grace
-- ARGV[3]  patience: how long to keep waiting instances in the queues, in ms; empty if none waits
-- For a single lock only; absent or empty for the default:
-- ARGV[4 * count + 4]  number of consecutive fencing tokens to grant, default 1
-- ARGV[4 * count + 5]  position that an earlier answer returned; default is the end of the queue
-- ARGV[4 * count + 6]  not empty: the time is stored with the lock, for its minimum hold (release.lua), and returned,
--                      for a caller that counts votes
-- ARGV[4 * count + 7]  token of a detached lock, or of its holder, to replace: no other lock is granted, neither a free
--                      nor an abandoned one. In a history younger than the grace, it keeps the lock for the grace and
--                      the lease
--
-- Returns a result for each lock, in order, or not in a list for a single lock. In the usual case it is only the first
-- fencing token, since a table costs the server more: granted, no other waiting instance known, the marker known to the
-- caller, and no time requested. Else {status, value, number, marker, who, trace, time}:
--   1   granted: the first fencing token; the number of other queued instances, if looked at
--   0   another owner has it, or it is kept: remaining lease in ms, -1 if it never expires; position, 0 if not waiting.
--       0 and 0 if it is free instead of having the token to replace
--   2   free, or replaceable, but the history is younger than the grace: retry delay in ms; 0
--  -1   not granted, another type is stored in the lock (1), fence (2), waiters (3) or history (4) key; 0
--  -2   the server refused: not granted, or the owner's fencing tokens are unchanged; 0, 0, and the error as last
--       element
-- with
--   marker  empty if it is the caller's
--   who     the owner, or the owner before a takeover: the first 8 characters of its instance, and its token from the
--           vertical bar on; '%kept' during the rest of a minimum hold; '%read' if the lock may have readers, whose
--           slots acquire_read.lua looks at: the attempt changed nothing; empty if there is none, or it is unknown
--   trace   for acknowledge.lua, if replicas must acknowledge a takeover: the owner's instance, a space, and the begin
--           of its mark; else empty
--   time    of this server in microseconds, if requested
-- and, if scripts may not publish to owners that another instance waits, an empty time, 0 and the owners' instances

local count = (#KEYS - 4) / 2
local fence, history = KEYS[2 * count + 1], KEYS[2 * count + 2]
local checked, takeovers = KEYS[2 * count + 3], KEYS[2 * count + 4]
local known, grace, patience = ARGV[1], ARGV[2], ARGV[3]
local block, position, timed = ARGV[4 * count + 4], ARGV[4 * count + 5], ARGV[4 * count + 6]
local replaced = ARGV[4 * count + 7]

local isDryRun
-- include check_history.lua: leaves marker, age, micros, refusal, recovering, isNamed and isChecked

-- While the note (checked) stands, plain attempts assume that their locks are free: one increment serves all of them,
-- and fencing tokens of held locks stay unused. Without the note, a held lock costs no write.
local hoped
if isChecked and not block then
  local block, floor, newest = count, 0, nil
  -- include fencing_tokens.lua: leaves taken, micros and problem
  hoped = not problem and taken
end

local LOCK_KEY, HISTORY_KEY = 1, 4
local replies = count > 1 and {}
for i = 1, count do
  local lock, token, lease, floor = KEYS[i], ARGV[4 * i], ARGV[4 * i + 1], tonumber(ARGV[4 * i + 2])
  local waiters, name = KEYS[count + i], ARGV[4 * i + 3]
  local fencing = hoped and hoped + i - 1 or 0
  local set = fencing > floor and redis.pcall('SET', lock, string.format('%016.0f ', fencing) .. token, 'PX', lease, 'NX')
  local reply = set and set.ok and fencing
  if not reply then
    local refused, key, owner = refusal, HISTORY_KEY, not refusal and redis.pcall('GET', lock)
    if type(owner) == 'table' then
      refused, key, owner = owner, LOCK_KEY, nil
    end
    local isOwn = owner and string.find(owner, token, -#token, true)
    local isRead = owner and not replaced and string.sub(owner, 18) == '%read'
    local owners, ending, former, trace, slot = {owner}, {lock}, nil, '', nil
    if isRead then
      reply = {0, -1, 0, marker ~= known and marker or '', '%read', ''}
    elseif replaced and not isOwn and not refused then
      local isReplaced = owner and string.match(owner, ' (.*)$') == replaced
      if isReplaced and recovering then
        -- This server may have forgotten that another instance replaced it, and holds the lock.
        local kept = math.ceil(grace - age / 1000) + lease
        if redis.call('PTTL', lock) < kept then
          redis.call('PEXPIRE', lock, string.format('%.0f', kept))
        end
      end
      owner = not isReplaced and (owner or '')
    elseif owner and not isOwn and isNamed and not recovering then
      local counted = {}
      -- include look.lua: leaves isAbandoned and unacknowledged
      trace = unacknowledged or ''
      if isAbandoned then
        former, owner = owner, nil
      end
    end
    if not isRead then
      -- include attempt.lua: leaves reply
    end
  end
  if count == 1 then
    return reply
  end
  replies[i] = reply
end
return replies
