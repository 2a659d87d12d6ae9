-- Notes that this server looked at its history a moment ago, and found it old enough for grants. Takes checked and note. A
-- replica must not have the note: once promoted, it would trust the look of its master.
-- In ms: so long a look counts for the next ones. It costs a fifth of a grant.
local CHECKED_FOR = 20
redis.set_repl(redis.REPL_NONE)
redis.pcall('SET', checked, note, 'PX', CHECKED_FOR)
redis.set_repl(redis.REPL_ALL)
