-- Checks whether the server has the history that the caller's locks belong to, before anything else (docs/design.md).
-- Uses these variables of the including script:
--   history    key of the marker of the history that granted locks belong to: string
--   checked    key of this server's note of a recent check: the marker named its history, which was older than the
--              grace. Neither replicated nor in the append-only file. Nil to force the check
--   takeovers  key of what takeovers need: hash, with the field before, the previous history's marker, and marks and
--              traces of instances (look.lua). Not used by a dry run. Nil without beats
--   known      the caller's last marker, or else the history id that it trusts without a marker; empty if it trusts
--              any; any other text if it trusts none
--   grace      minimum age of a history for grants, in ms. A plus sign in front: whatever its name, none is forgotten
--   isDryRun   whether to write nothing
-- Sets marker (now stored), age (of the history in microseconds; nil without limit), recovering (whether it is below
-- the grace), micros (the time, if read), refusal (the server's error), isNamed (whether the server reports its history
-- id) and isChecked (whether the note stands).
local marker, age, micros, refusal = known, nil, nil, nil
-- The address of a table of this interpreter distinguishes this process's note from notes that a snapshot or a full
-- synchronisation copied from another process.
local note = checked and known .. tostring(redis)
local isChecked = false
if checked then
  -- Also compares the marker: a command that deletes it may delete locks too.
  local stored = redis.pcall('MGET', checked, history)
  isChecked = stored[1] == note and stored[2] == known
end
local isNamed = isChecked
if not isChecked then
  local info = redis.pcall('INFO', 'replication')
  info = type(info) == 'string' and info or ''
  local named = string.find(info, 'master_replid:', 1, true)
  isNamed = named
  local isDurable = string.byte(grace) == 43
  named, info = not isDurable and named, isDurable and '' or info
  local here, since, kind, replid, begins = string.sub(known, 1, 40), nil, nil, nil, false

  marker = redis.pcall('GET', history)
  if marker == known and named and string.byte(known, 41) == 58 and string.find(info, here, named, true) == named + 14 then
    -- The usual case, the caller's marker with this history id: equals the pattern below at a third of its cost.
    since, kind = string.sub(known, 42, -7), string.sub(known, -5)
  elseif type(marker) == 'table' then
    refusal = marker
  else
    here = named and string.match(info, '^%x+', named + 14) or '?'
    replid, since, kind = string.match(marker or '', '^([^:]+):(%d+):(%l+)$')
    local distrusts = known ~= '' and known ~= marker and known ~= here
    begins = not replid or (here ~= replid and here ~= '?') or (kind == 'first' and distrusts)
  end

  if not refusal and (begins or kind ~= 'first') then
    local now = redis.pcall('TIME')
    if now.err then
      refusal = now
    else
      micros = now[1] * 1000000 + now[2]
      age = micros - (since or micros)
      if begins or age < 0 then
        local promoted = string.find(info, 'master_replid2:0*[1-9a-f]')
        kind = (marker or promoted or (known ~= '' and known ~= here)) and 'grace' or 'first'
        age = kind == 'grace' and 0 or nil
        local followed = marker
        marker = string.format('%s:%.0f:%s', here, micros, kind)
        if not isDryRun then
          local written = redis.pcall('SET', history, marker)
          refusal = written.err and written
          -- For beats (beat.lua): a history in between may have forgotten traces that replicas had acknowledged.
          -- Written after the marker, which a full server must refuse. HDEL also names a field that never exists.
          local set = takeovers and not refusal
            and redis.pcall(followed and 'HSET' or 'HDEL', takeovers, 'before', followed or 'none')
          if followed and type(set) == 'number' and redis.pcall('PTTL', takeovers) < math.max(1, tonumber(grace)) then
            redis.pcall('PEXPIRE', takeovers, math.max(1, tonumber(grace)))
          end
        end
      end
    end
  end
end
local recovering = age and age < grace * 1000
