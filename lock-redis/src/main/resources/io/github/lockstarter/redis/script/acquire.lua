-- Answers one attempt, or several for locks that share a history and a counter, each by itself: grants a free lock to a token,
-- or says how long another owner has it, or it is kept, and puts the instance in the queue. The same token that asks again gets
-- the same answer, since the client repeats what it sent when a connection breaks; its fencing tokens are raised above the floor.
--
-- An instance is the part of its tokens before the last colon. Behind a vertical bar, a token may say who made it, and behind
-- another one its take-over time in ms, with a plus sign if replicas have to know of a take-over first. A token has one colon and
-- instances are of one length, so no token is the end of another one: scripts compare the end of a lock with a token.
--
-- For each lock i:
-- KEYS[i]          lock, called <prefix>{<tag>}: string, the last fencing token of the owner in 16 digits, perhaps '@' and the
--                  time of the grant in microseconds, a space, and its token; lives as long as the lease
-- KEYS[count + i]  waiters: sorted set of the instances that wait; the score is their position, in microseconds
-- ARGV[4 * i]      token of this attempt
-- ARGV[4 * i + 1]  lease in ms
-- ARGV[4 * i + 2]  floor: the fencing tokens must be greater
-- ARGV[4 * i + 3]  if the instance waits, the name of the lock in messages to mailboxes, or '=' if that is the tag; else empty
-- For all of them:
-- KEYS[2 * count + 1]  fence: string, the counter: the last fencing token of any lock that has this counter
-- KEYS[2 * count + 2]  history: as check_history.lua has it, and the next three
-- KEYS[2 * count + 3]  checked
-- ARGV[1]  known
-- ARGV[2]  grace
-- ARGV[3]  patience: how long to keep the instances that wait in the queues, in ms; empty if none waits
-- For one lock alone; else absent, as is what is not said:
-- ARGV[4 * count + 4]  how many fencing tokens in a row to grant; else one
-- ARGV[4 * count + 5]  position of the instance as told by an earlier answer; absent or empty for the end of the queue
-- ARGV[4 * count + 6]  not empty: the time is noted with the lock, since it has a minimum time (release.lua), and replied, for
--                      a caller that counts votes
-- ARGV[4 * count + 7]  permits: how many slots the lock has. Each is a lock of its own, with the queue of the first: slot 0 is
--                      KEYS[1], slot i is called <prefix>{<tag>}:p<i>. The slot that the token has is tried, else the first
--                      that is free, else each in turn
--
-- Returns for each lock, in their order, or without a list for one lock alone: the first fencing token, if it is granted, no other
-- instance is known to wait, the marker is the caller's and the time was not asked for, as almost always: a table costs the server
-- more. Else {status, value, number, marker, who, trace, time, slot}
--   1   granted: the first fencing token; so many other instances are in the queue, as far as it was looked at
--   0   another owner has it, or it is kept: the remaining lease in ms, -1 if it never ends by itself, of several slots that of
--       the first to end; position, 0 if not waiting
--   2   free, but the history is younger than the grace: when to try again, in ms; 0
--  -1   not granted, since another type is held by the key of the lock (1), the fence (2), the waiters (3) or the history (4); slot
--  -2   the server refused: not granted, or the owner's fencing tokens are what they were; 0, 0, and its error instead of the rest
-- where the others are
--   marker  empty if it is the caller's
--   who     has the lock, or had it before it was taken over: the first 8 characters of the instance, and what the token has from
--           the vertical bar on; '%kept' if it is kept for the rest of its minimum time; empty if there is none, or it is not known
--   trace   for acknowledge.lua, if replicas have to know of a take-over first: the owner's instance, a space, and the begin of its
--           mark; else empty
--   time    of this server in microseconds, if it was asked for
--   slot    that was granted, or tried last, if the lock has several

local count = (#KEYS - 3) / 2
local fence, history, checked = KEYS[2 * count + 1], KEYS[2 * count + 2], KEYS[2 * count + 3]
local known, grace, patience = ARGV[1], ARGV[2], ARGV[3]
local block, position, timed, permits = ARGV[4 * count + 4], ARGV[4 * count + 5], ARGV[4 * count + 6], ARGV[4 * count + 7]

local isDryRun
-- include check_history.lua: leaves marker, age, micros, refusal and isNamed

-- Attempts that ask for one fencing token and nothing else assume that locks are free while the note (checked) stands: one step of
-- the counter serves all of them, and the fencing token meant for a lock that is not free remains unused. Without the note, a lock
-- that is not free costs no write.
local hoped
if isChecked and not block then
  local block, floor, newest = count, 0, nil
  -- include fencing_tokens.lua: leaves taken, micros and problem
  hoped = not problem and taken
end
block = tonumber(block or 1)
permits = tonumber(permits or 1)
timed = timed and timed ~= ''

local recovering = age and age < grace * 1000
local told = marker ~= known and marker or ''
local clock
if timed and not refusal then
  if not micros then
    local now = redis.pcall('TIME')
    refusal = now.err and now
    micros = not refusal and now[1] * 1000000 + now[2]
  end
  clock = micros
end

local REFUSED, WRONG_TYPE, CONTENDED, GRANTED, RECOVERING = -2, -1, 0, 1, 2
-- Longer than any label of ours: another program may have written the lock's value.
local MOST_OF_LABEL = 96
local replies = count > 1 and {}
for i = 1, count do
  local lock, token, lease, floor = KEYS[i], ARGV[4 * i], ARGV[4 * i + 1], tonumber(ARGV[4 * i + 2])
  local waiters, name = KEYS[count + i], ARGV[4 * i + 3]
  local fencing = hoped and hoped + i - 1 or 0
  local set = fencing > floor and redis.pcall('SET', lock, string.format('%016.0f ', fencing) .. token, 'PX', lease, 'NX')
  local status, value, number, who, trace = GRANTED, set and set.ok and fencing, 0, '', ''
  local first, slot, last, places, stored, counted = lock, 0, permits - 1, nil, nil, nil
  -- Of several slots, those whose owners have ended, or may end without a signal: what is kept, and what nobody may renew.
  local ending
  -- What was granted before stays granted, whatever the server refuses now: with the key that it concerns.
  local refused, key = refusal, 4
  if permits > 1 then
    places, counted, ending = {first}, {}, {}
    for each = 1, last do
      places[each + 1] = first .. ':p' .. each
    end
    stored = redis.pcall('MGET', unpack(places)) -- of a key of another type, nothing
    refused = refused or stored.err and stored
    local own, free
    for each, owner in ipairs(stored) do
      own = owner and string.find(owner, token, -#token, true) and each or own
      free = free or (not owner and each)
    end
    local only = own or free
    slot, last = only and only - 1 or 0, only and only - 1 or last
  end
  local isNext
  repeat
    repeat
      if value or refused then
        break
      end
      lock, isNext = places and places[slot + 1] or first, false
      local owner = stored and stored[slot + 1] or redis.pcall('GET', lock)
      if type(owner) == 'table' then
        refused, key = owner, 1
        break
      end
      if not owner and recovering then
        status, value = RECOVERING, math.ceil(grace - age / 1000)
        break
      end
      local repeated = owner and string.find(owner, token, -#token, true)
      local waits = name and name ~= ''

      -- The usual place of the instance: where an earlier look found that it is heard, the rest need not be read.
      local isHeard = counted and owner and counted[string.sub(owner, 18, 49)]
      if owner and not repeated and not isHeard and isNamed and not recovering then
        -- include look.lua: leaves isAbandoned, unacknowledged, heard, gone and label
        trace, isHeard = unacknowledged or trace, heard
        if isAbandoned then
          who, owner = string.sub(gone, 1, 8) .. string.sub(label, 1, MOST_OF_LABEL), nil
        end
      end

      if owner and not repeated and ending and not isHeard then
        ending[#ending + 1] = lock
      end
      if owner and not repeated and slot < last then
        slot, isNext = slot + 1, true
        break
      end
      if owner and not repeated then
        local instance = string.match(token, '^(.*):')
        local registered = waits and redis.pcall('ZSCORE', waiters, instance)
        if type(registered) == 'table' then
          refused, key = registered, 3
          break
        end
        local isQueued, remaining, place = pcall(function()
          local place = tonumber(registered)
          if waits then
            local patience, position = tonumber(patience), tonumber(position)
            if not place and not position then
              local now = redis.call('TIME')
              position = now[1] * 1000000 + now[2]
            end
            if not place or (position and position < place) then
              place = position
              redis.call('ZADD', waiters, place, instance)
            end
            if redis.call('PTTL', waiters) < patience then
              redis.call('PEXPIRE', waiters, patience)
            end
            -- Publishes '%!' and the name to the owner's mailbox, unless another instance than its own was waiting already: then
            -- it knows. No name starts like that. A failure does not fail the attempt: the owner's hand-overs end by themselves.
            -- One repetition of digits, not two in a row, which take the square of the time for a long foreign value.
            local prefix, tag = string.match(lock, '^([^{]*){([^}]*)}')
            local others = not registered and redis.call('ZCARD', waiters) - 1
            local told = {}
            for _, owner in ipairs(others and stored or {owner}) do
              local holder, after = string.match(owner or '', '^[%d@]+ ([0-9a-f]+):%d+(.?)')
              local isOther = holder and (after == '' or after == '|') and #holder == 32 and holder ~= instance
              if isOther and others and not told[holder] then
                told[holder] = true
                -- With several owners, each of those who wait may be one of them.
                if others < permits - 1 or others == 0 or (others == 1 and redis.call('ZSCORE', waiters, holder)) then
                  redis.pcall('PUBLISH', prefix .. 'mailbox:' .. holder, '%!' .. (name ~= '=' and name or tag))
                end
              end
            end
          end
          local remaining = redis.call('PTTL', lock)
          -- Nobody tells a waiter when a minimum time or a lease ends: it looks when the first of the slots may be free.
          for _, place in ipairs(ending or {}) do
            local left = redis.call('PTTL', place)
            remaining = left >= 0 and (remaining < 0 or left < remaining) and left or remaining
          end
          return remaining, place or 0
        end)
        if not isQueued then
          refused = type(remaining) == 'table' and remaining or {err = tostring(remaining)}
          break
        end
        status, value, number = CONTENDED, remaining, place
        -- Several count as kept only if all of them are: of any other, the owner may crash meanwhile.
        local areKept = true
        for _, owner in ipairs(stored or {owner}) do
          local holder, label = string.match(owner or '', '^[%d@]+ ([0-9a-f]+):%d+(|.*)$')
          areKept = areKept and string.find(owner or '', '^%d+ %%kept$')
          if holder then
            who = string.sub(holder, 1, 8) .. string.sub(label, 1, MOST_OF_LABEL)
            break
          end
        end
        who = areKept and '%kept' or who
        break
      end

      -- A newcomer that asks for one fencing token has no use for the number, and is in no queue to be taken out of.
      if block > 1 or (position and position ~= '') then
        local others = redis.pcall('ZCARD', waiters)
        if others ~= 0 and type(others) ~= 'table' then
          -- An instance that gets what it waits for has left the queue; one that only tries leaves it to those who wait.
          local own = redis.pcall(waits and 'ZREM' or 'ZSCORE', waiters, string.match(token, '^(.*):'))
          others = type(own) == 'table' and own or (own and own ~= 0 and others - 1 or others)
        end
        if type(others) == 'table' then
          refused, key = others, 3
          break
        end
        number = others
      end

      local newest
      if repeated then
        value = tonumber(string.match(owner, '^%d+')) - block + 1
        newest = value <= floor and floor + block or nil
      end
      if newest or not repeated then
        -- include fencing_tokens.lua: leaves taken, micros and problem
        value = taken or floor + 1
        local set = problem
        if newest and not problem then
          set = redis.pcall('SET', lock, string.format('%016.0f', newest) .. string.match(owner, '^%d+(.*)$'), 'KEEPTTL')
        elseif not problem then
          local time = timed and string.format('@%.0f', micros) or ''
          local stored = string.format('%016.0f', value + block - 1) .. time .. ' ' .. token
          set = redis.pcall('SET', lock, stored, 'PX', lease)
        end
        refused, key = set.err and set, 2
        if not refused and not newest and not isChecked and isNamed and marker == known then
          -- This server looked at its history a moment ago, and found it old enough for grants. In ms: so long a look counts for
          -- the next ones. It costs a fifth of a grant. A replica must not have the note: once promoted, it would trust the look
          -- of its master.
          local CHECKED_FOR = 20
          redis.set_repl(redis.REPL_NONE)
          redis.pcall('SET', checked, note, 'PX', CHECKED_FOR)
          redis.set_repl(redis.REPL_ALL)
          isChecked = true
        end
      end
    until true
  until not isNext

  local reply = value
  if refused then
    local isOfAnotherType = string.sub(refused.err, 1, 9) == 'WRONGTYPE'
    reply = isOfAnotherType and {WRONG_TYPE, key, slot, ''} or {REFUSED, 0, 0, refused.err}
  elseif status ~= GRANTED or number > 0 or told ~= '' or who ~= '' or clock or permits > 1 then
    local isOfSeveral = permits > 1 or nil
    reply = {status, value, number, told, who, trace, clock or (isOfSeveral and ''), isOfSeveral and slot}
  end
  if count == 1 then
    return reply
  end
  replies[i] = reply
end
return replies
