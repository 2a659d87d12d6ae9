-- Answers several attempts for locks that share a history and a counter, each by itself: grants a free lock to a token, or says
-- how long another owner has it, or it is kept, and puts the instance in the queue.
-- The same token asking again gets the same answer: the client repeats what it sent when a connection breaks. Its fencing
-- tokens are raised if they are not above the floor it names then: to begin right above it.
-- An instance is the part of its tokens before the last colon. A token may say who made it: behind a vertical bar, which
-- is compared with the rest of it. A token has one colon and instances are of one length, so no token is the end of another
-- one: scripts compare the end of a lock with a token.
--
-- For each lock i:
-- KEYS[i]          lock: string, the last fencing token of the owner in 16 digits, perhaps '@' and the time of the grant in
--                  microseconds, a space, and its token; lives as long as the lease. Called <prefix>{<tag>}
-- KEYS[count + i]  waiters: sorted set of the instances that wait; the score is their position, in microseconds
-- ARGV[4 * i]      token of this attempt
-- ARGV[4 * i + 1]  lease in ms
-- ARGV[4 * i + 2]  floor: the fencing tokens must be greater
-- ARGV[4 * i + 3]  empty if the instance only tries; if it waits, the name of the lock in messages to mailboxes, or '=' if that
--                  is the tag
-- For all of them:
-- KEYS[2 * count + 1]  fence: string, the counter: the last fencing token that was granted for any lock that has this counter
-- KEYS[2 * count + 2]  history: string, the marker of the history that granted locks belong to
-- KEYS[2 * count + 3]  checked: string, the note of this server that it looked a moment ago: the marker named its history, which
--                      was older than the grace. Neither replicated nor in the append-only file
-- ARGV[1]  known: the marker that the caller saw last, or else the name of the history that it trusts without a
--          marker; empty if it saw none and trusts any; any other text if it trusts none
-- ARGV[2]  grace: how old a history must be for grants, in ms
-- ARGV[3]  patience: how long to keep the instances that wait in the queues, in ms; empty if none waits
-- For one lock alone; else absent, as is what is not said:
-- ARGV[4 * count + 4]  how many fencing tokens in a row to grant; else one
-- ARGV[4 * count + 5]  position of the instance as told by an earlier answer; absent or empty for the end of the queue
-- ARGV[4 * count + 6]  not empty: the time is noted with the lock, since it has a minimum time (release.lua), and replied, for a
--                      caller that counts votes
--
-- Returns for each lock, in their order, or without a list for one lock alone whose number of fencing tokens is given:
-- the first fencing token      granted, no other instance is known to wait, and the marker is the caller's
-- {status, value, number}, and what of the following there is, where the status is not negative:
--   the marker, unless it is the caller's; but empty if more follows
--   if another owner has the lock, or the lock was taken over from it, and its token says who made it: the first 8 characters
--   of its instance, and what its token has from the vertical bar on; '%kept' if its owner released it, and it is kept for the
--   rest of its minimum time
--   if another owner has the lock, which is to be taken over as soon as the replicas know: the owner's instance, a space,
--   and the begin of its mark, for the script that acknowledges
--   if the caller asks for it: the time of this server in microseconds
--   {1, first fencing token, others}   granted; so many other instances are in the queue
--   {0, remaining lease, position}     another owner has it, or it is kept: in ms, -1 if it never ends by itself; position 0
--                                      if not waiting
--   {2, retry after, 0}                free, but the history is younger than the grace: in ms
--   {-1, n, 0}                         another type is held by the key of the lock (1), the fence (2), the waiters (3) or the
--                                      history (4): not granted
--   {-2, 0, 0, text}                   in a list: the server refused: not granted, or the owner's fencing tokens are what they
--                                      were; the others may be. Any error without a list means the same
-- The queue is looked at only for more than one fencing token, or by who was told a position. A newcomer that asks for one
-- has no use for the number, and is in no queue to be taken out of.
-- Attempts of one fencing token, which name no position and do not ask for the time, assume that locks are free while the note
-- (checked) stands: one step of the counter serves all of them, and the fencing token meant for a lock that is not free remains
-- unused. Without it, a lock that is not free costs no write.
--
-- A token may end with a bar and its take-over time in ms, and a plus sign if replicas have to know of a take-over first. If
-- its owner's instance was not heard on its mailbox for so long, and has sent no beat meanwhile, the lock is granted as if it
-- were free. That does not happen while the history is younger than the grace, or if the server does not say which history
-- this is (docs/internals/crash-take-over.md).
--
-- The first instance that queues behind an owner which is one too has '%!' and the name published to the owner's
-- mailbox, <prefix>mailbox:<instance>. A name never starts like that.

local count, i = (#KEYS - 3) / 2, 1
local fence, history, checked = KEYS[2 * count + 1], KEYS[2 * count + 2], KEYS[2 * count + 3]
local known, grace, patience = ARGV[1], ARGV[2], ARGV[3]
local block, position, timed = ARGV[4 * count + 4], ARGV[4 * count + 5], ARGV[4 * count + 6]
local lock, waiters, token, lease = KEYS[i], KEYS[count + i], ARGV[4 * i], ARGV[4 * i + 1]
local floor, name = tonumber(ARGV[4 * i + 2]), ARGV[4 * i + 3]

-- include check_history.lua: leaves marker, age, micros, refusal and isNamed

-- One attempt that asks for more than a lock. It is no function, which costs more than it does.
if block then
  block = tonumber(block)
  -- include attempt.lua
end

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
      local block, micros, position = 1, micros, nil
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
