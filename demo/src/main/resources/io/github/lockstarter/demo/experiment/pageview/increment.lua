-- Counts a view of a page and records the request. HINCRBY is INCR for a field of a hash.
-- KEYS[1]  hash of the page: views
-- KEYS[2]  set of counted requests
-- ARGV[1]  empty: without a lock there is no fencing token
-- ARGV[2]  id of the request
-- ARGV[3]  seconds to keep counted requests
-- returns  "done <views>" or "counted <views>" (already counted; nothing is written)
local page = KEYS[1]
local counted = KEYS[2]
local request = ARGV[2]
local memory = ARGV[3]

if redis.call('SADD', counted, request) == 0 then
  return 'counted ' .. (redis.call('HGET', page, 'views') or '0')
end
redis.call('EXPIRE', counted, memory)
return 'done ' .. redis.call('HINCRBY', page, 'views', 1)
