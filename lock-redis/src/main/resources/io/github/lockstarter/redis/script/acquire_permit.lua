-- Handles one attempt for a permit of a lock. The permits are slots, each a separate lock with the queue of the first:
-- slot 0 is the lock's key, slot i is <prefix>{<tag>}:p<i>. Tries the slot that the token has, since the client may
-- resend commands; else the first free one; else the first whose owner is gone, after a look at all owners.
--
-- KEYS[i]            slot i - 1
-- For the meaning of the other keys, arguments and answers, see acquire.lua:
-- KEYS[permits + 1]  waiters
-- KEYS[permits + 2]  fence
-- KEYS[permits + 3]  history
-- KEYS[permits + 4]  checked
-- KEYS[permits + 5]  takeovers
-- ARGV[1]   known
-- ARGV[2]   grace
-- ARGV[3]   patience
-- ARGV[4]   token
-- ARGV[5]   lease
-- ARGV[6]   floor
-- ARGV[7]   name
-- ARGV[8]   number of consecutive fencing tokens to grant
-- ARGV[9]   position
-- ARGV[10]  not empty: the time is stored and returned
--
-- Returns {status, value, number, marker, who, trace, time, slot, owners}: as acquire.lua, except that
--   0   all slots have other owners, or are kept: how long until the first of them may be free without a signal
--  -1   the number of the key; slot
-- and with
--   who    '%kept' if all slots are kept; else the first owner whose token names its origin
--   time   empty if not requested
--   slot   granted, or tried last

local permits = #KEYS - 5
local places, waiters, fence = {unpack(KEYS, 1, permits)}, KEYS[permits + 1], KEYS[permits + 2]
local history, checked, takeovers = KEYS[permits + 3], KEYS[permits + 4], KEYS[permits + 5]
local known, grace, patience, token, lease, floor = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], tonumber(ARGV[6])
local name, block, position, timed = ARGV[7], ARGV[8], ARGV[9], ARGV[10]

local isDryRun
-- include check_history.lua: leaves marker, age, micros, refusal, recovering, isNamed and isChecked

local LOCK_KEY, HISTORY_KEY = 1, 4
local trace, former, reply = '', nil, nil
local owners = redis.pcall('MGET', unpack(places)) -- of a key of another type, nothing
local refused, key = refusal or owners.err and owners, HISTORY_KEY
owners = refused and {} or owners

local own, free, abandoned
for i, owner in ipairs(owners) do
  own = owner and string.find(owner, token, -#token, true) and i or own
  free = free or (not owner and i)
end
-- Slots whose owners are gone, or that may end without a signal: kept locks, and leases without renewal.
local ending, counted = {places[permits]}, {}
for i, owner in ipairs((own or free) and {} or owners) do
  local lock = places[i]
  -- The usual position of the instance id: if an earlier check found it subscribed, the rest need not be parsed.
  local isHeard = counted[string.sub(owner, 18, 49)]
  if not isHeard and isNamed and not recovering then
    -- include look.lua: leaves isAbandoned, unacknowledged and heard
    trace, isHeard = unacknowledged or trace, heard
    if isAbandoned then
      abandoned, former = i, owner
      break
    end
  end
  ending[#ending + 1] = not isHeard and lock or nil
end

local slot = (own or free or abandoned or permits) - 1
local lock = places[slot + 1]
local owner = not abandoned and owners[slot + 1]
local isOwn = own and owner
if not owner and not abandoned and not refused then
  owner = redis.pcall('GET', lock)
  if type(owner) == 'table' then
    refused, key, owner = owner, LOCK_KEY, nil
  end
end
-- include attempt.lua: leaves reply
return reply
