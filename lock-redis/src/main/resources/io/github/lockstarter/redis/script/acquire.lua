-- Handles one attempt, or several for locks that share a history and a counter, each separately: grants a free lock to
-- a token, or returns the remaining lease of its owner and queues the instance. A repeated attempt of the owner returns
-- its grant, since Lettuce resends commands after a reconnect; its fencing tokens are raised above the floor.
--
-- An instance is the part of its tokens before the last colon. After a vertical bar, a token may name its origin; after
-- a second one its takeover time in ms, with a plus sign if replicas must acknowledge a takeover. Tokens have one
-- colon and instances one length, so no token is a suffix of another: scripts compare the end of a lock with a token.
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
-- KEYS[2 * count + 2]  history, and the next three: see check_history.lua
-- KEYS[2 * count + 3]  checked
-- ARGV[1]  known
-- ARGV[2]  grace
-- ARGV[3]  patience: how long to keep waiting instances in the queues, in ms; empty if none waits
-- For a single lock only; absent or empty for the default:
-- ARGV[4 * count + 4]  number of consecutive fencing tokens to grant, default 1
-- ARGV[4 * count + 5]  position that an earlier answer returned; default is the end of the queue
-- ARGV[4 * count + 6]  not empty: the time is stored with the lock, for its minimum hold (release.lua), and returned,
--                      for a caller that counts votes
-- ARGV[4 * count + 7]  permits: number of slots. Each is a separate lock with the queue of the first: slot 0 is
--                      KEYS[1], slot i is <prefix>{<tag>}:p<i>. Tries the token's own slot, else the first free one,
--                      else each
--
-- Returns a result for each lock, in order, or not in a list for a single lock. In the usual case it is only the first
-- fencing token, since a table costs the server more: granted, no other waiting instance known, the marker known to the
-- caller, and no time requested. Else {status, value, number, marker, who, trace, time, slot}:
--   1   granted: the first fencing token; the number of other queued instances, if looked at
--   0   another owner has it, or it is kept: remaining lease in ms, -1 if it never expires, of several slots the
--       shortest; position, 0 if not waiting
--   2   free, but the history is younger than the grace: retry delay in ms; 0
--  -1   not granted, another type is stored in the lock (1), fence (2), waiters (3) or history (4) key; slot
--  -2   the server refused: not granted, or the owner's fencing tokens are unchanged; 0, 0, and the error as last
--       element
-- with
--   marker  empty if it is the caller's
--   who     the owner, or the owner before a takeover: the first 8 characters of its instance, and its token from the
--           vertical bar on; '%kept' during the rest of a minimum hold; empty if there is none, or it is unknown
--   trace   for acknowledge.lua, if replicas must acknowledge a takeover: the owner's instance, a space, and the begin
--           of its mark; else empty
--   time    of this server in microseconds, if requested
--   slot    granted, or tried last, if the lock has several

local count = (#KEYS - 3) / 2
local fence, history, checked = KEYS[2 * count + 1], KEYS[2 * count + 2], KEYS[2 * count + 3]
local known, grace, patience = ARGV[1], ARGV[2], ARGV[3]
local block, position, timed, permits = ARGV[4 * count + 4], ARGV[4 * count + 5], ARGV[4 * count + 6], ARGV[4 * count + 7]

local isDryRun
-- include check_history.lua: leaves marker, age, micros, refusal and isNamed

-- While the note (checked) stands, plain attempts assume that their locks are free: one increment serves all of them,
-- and fencing tokens of held locks stay unused. Without the note, a held lock costs no write.
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
-- All that a label of ours shows: another program may have written more.
local MOST_OF_LABEL = 96
local replies = count > 1 and {}
for i = 1, count do
  local lock, token, lease, floor = KEYS[i], ARGV[4 * i], ARGV[4 * i + 1], tonumber(ARGV[4 * i + 2])
  local waiters, name = KEYS[count + i], ARGV[4 * i + 3]
  local fencing = hoped and hoped + i - 1 or 0
  local set = fencing > floor and redis.pcall('SET', lock, string.format('%016.0f ', fencing) .. token, 'PX', lease, 'NX')
  local status, value, number, who, trace = GRANTED, set and set.ok and fencing, 0, '', ''
  local first, slot, last, places, stored, counted = lock, 0, permits - 1, nil, nil, nil
  -- Slots whose owners are gone, or may end without a signal: kept ones, and leases that nobody may renew.
  local ending
  -- A refusal does not withdraw an earlier grant. With it, the number of the key concerned.
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

      -- The usual position of the instance id: if an earlier check found it subscribed, the rest need not be parsed.
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
            -- Publishes '%!' and the name to the owner's mailbox, unless an instance other than the owner was waiting
            -- before: then the owner knows. No name starts like that. A failure does not fail the attempt, since the
            -- owner's hand-overs are bounded. The pattern has a single repetition of digits: two in a row take
            -- quadratic time for a long foreign value.
            local prefix, tag = string.match(lock, '^([^{]*){([^}]*)}')
            local others = not registered and redis.call('ZCARD', waiters) - 1
            local told = {}
            for _, owner in ipairs(others and stored or {owner}) do
              local holder, after = string.match(owner or '', '^[%d@]+ ([0-9a-f]+):%d+(.?)')
              local isOther = holder and (after == '' or after == '|') and #holder == 32 and holder ~= instance
              if isOther and others and not told[holder] then
                told[holder] = true
                -- With several owners, a waiting instance may be one of them.
                if others < permits - 1 or others == 0 or (others == 1 and redis.call('ZSCORE', waiters, holder)) then
                  redis.pcall('PUBLISH', prefix .. 'mailbox:' .. holder, '%!' .. (name ~= '=' and name or tag))
                end
              end
            end
          end
          local remaining = redis.call('PTTL', lock)
          -- No signal reports the end of a minimum hold or a lease: the waiter retries when the first slot may be free.
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
        -- Kept only if all slots are: the owner of any other may crash in the meantime.
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

      -- A first attempt for one fencing token does not need the number, and is in no queue to leave.
      if block > 1 or (position and position ~= '') then
        local others = redis.pcall('ZCARD', waiters)
        if others ~= 0 and type(others) ~= 'table' then
          -- An instance that waits leaves the queue with its grant; an attempt that does not wait keeps the instance's
          -- place.
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
          -- The history was just checked and is old enough for grants: the next calls may skip the check, which costs a
          -- fifth of a grant, for this many ms. Not replicated: a promoted replica would trust its master's check.
          local CHECKED_FOR = 20
          -- Where set_repl is missing or refused, no note is written, and each call checks.
          if pcall(redis.set_repl, redis.REPL_NONE) then
            redis.pcall('SET', checked, note, 'PX', CHECKED_FOR)
            redis.set_repl(redis.REPL_ALL)
          end
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
