-- Looks whether this is the history that the caller's locks belong to, before anything else (docs/design.md).
-- Takes these of the script that includes it:
--   history  the key of the marker of the history that granted locks belong to: string; nothing if there is to be no look
--   checked  the key of the note of this server that it looked a moment ago: the marker named its history, which was older than
--            the grace. Neither replicated nor in the append-only file. Nothing if this must be a look of its own
--   known    the marker that the caller saw last, or else the name of the history that it trusts without a marker; empty if it
--            saw none and trusts any; any other text if it trusts none
--   grace    how old a history must be for grants, in ms
--   isDryRun whether nothing is written
-- Leaves the marker that is stored now, its age in microseconds unless that is without limit, the time in microseconds if
-- it was asked for, what the server refused, and isNamed: whether the server has said which history this is.
local marker, age, micros, refusal = known, nil, nil, nil
-- The address of a table of this process's interpreter tells the note of this process from one that a snapshot or a full
-- synchronisation has copied from another one.
local note = checked and known .. tostring(redis)
local isChecked = false
if checked then
  -- The marker is compared too: a command that deletes it may delete locks as well.
  local stored = redis.pcall('MGET', checked, history)
  isChecked = stored[1] == note and stored[2] == known
end
local isNamed = isChecked
if history and not isChecked then
  local info = redis.pcall('INFO', 'replication')
  info = type(info) == 'string' and info or ''
  local named = string.find(info, 'master_replid:', 1, true)
  isNamed = named
  local here, since, kind = string.sub(known, 1, 40), nil, nil
  local begins = false

  marker = redis.pcall('GET', history)
  if marker == known and named and string.byte(known, 41) == 58 and string.find(info, here, named, true) == named + 14 then
    -- Almost always the marker is the caller's, and names this history: as the pattern below, for a third of its price.
    since, kind = string.sub(known, 42, -7), string.sub(known, -5)
  elseif type(marker) == 'table' then
    refusal = marker
  else
    here = named and string.match(info, '^%x+', named + 14) or '?'
    local replid
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
          -- For beats (beat.lua): another history in between may have forgotten what replicas had acknowledged. Written behind
          -- the marker, which a full server has to refuse.
          if followed and not refusal then
            redis.pcall('SET', history .. ':before', followed, 'PX', math.max(1, grace))
          elseif not refusal then
            redis.pcall('DEL', history .. ':before')
          end
        end
      end
    end
  end
end
