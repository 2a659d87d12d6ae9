-- Whether the token has the lock, and the lock is marked, since the owner's instance was not heard when another one looked
-- (docs/internals/crash-take-over.md). Takes owner, token, and TOKEN, where the token begins in what is stored.
local isMarked = type(owner) == 'string' and string.sub(owner, TOKEN, TOKEN + #token) == token .. '|'
  and string.find(owner, '^%d+%+%d+$', TOKEN + #token + 1) ~= nil
