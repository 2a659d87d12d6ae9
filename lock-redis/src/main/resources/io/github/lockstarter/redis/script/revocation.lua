-- Tells the owner of a revoked lock, see release.lua. Nobody, if the lock was kept.
-- Uses lock, token, name and unsent, see release.lua and signal.lua; and revokes, whether an operator revokes the lock.
-- Adds to unsent.
local revoked, holder = nil, nil
if revokes then
  revoked, holder = string.match(token, '^%d+@?%d* (([0-9a-f]+):.*)$')
end
if revoked then
  local prefix, tag = string.match(lock, '^([^{]*){([^}]*)}')
  local message = '%~' .. redis.sha1hex(revoked) .. ':' .. (name ~= '' and name or tag)
  local sent = redis.pcall('PUBLISH', prefix .. 'mailbox:' .. holder, message)
  unsent = type(sent) == 'table' and (unsent and unsent .. '\n' or '') .. holder .. ' ' .. message or unsent
end
