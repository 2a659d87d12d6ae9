-- What a script finds around it, as Redis 7 has it and as far as shipped scripts need it. Takes functions of the server,
-- returns the function that runs a script.
local execute, replicate, sha1hex = ...
local getinfo, xpcall, lua_pcall = debug.getinfo, xpcall, pcall

-- Of the server that runs the script: another one in each of its processes.
local address
local redis = {REPL_NONE = 0, REPL_ALL = 3, pcall = execute, set_repl = replicate, sha1hex = sha1hex}
setmetatable(redis, {__tostring = function() return address end})

function redis.call(...)
  local reply = execute(...)
  if type(reply) == 'table' and reply.err then
    error(reply)
  end
  return reply
end

-- To the script, the error of a command is its text.
local function caught(succeeds, failure, ...)
  if not succeeds and type(failure) == 'table' and type(failure.err) == 'string' then
    return false, failure.err
  end
  return succeeds, failure, ...
end

local environment = {
  redis = redis, string = string, table = table, math = math,
  assert = assert, error = error, ipairs = ipairs, next = next, pairs = pairs, select = select, tonumber = tonumber,
  tostring = tostring, type = type, unpack = unpack, xpcall = xpcall,
  pcall = function(...) return caught(lua_pcall(...)) end,
}
setmetatable(environment, {
  __index = function(_, name)
    error("Script attempted to access nonexistent global variable '" .. tostring(name) .. "'", 2)
  end,
  __newindex = function()
    error('Attempt to modify a readonly table', 2)
  end,
})

-- Says where the script failed.
local function located(failure)
  if type(failure) ~= 'table' then
    failure = {err = 'ERR ' .. tostring(failure)}
  end
  local level = 2
  local place = getinfo(level, 'Sl')
  while place and place.source ~= '@user_script' do
    level = level + 1
    place = getinfo(level, 'Sl')
  end
  failure.source, failure.line = '@user_script', place and place.currentline or -1
  return failure
end

return function(script, sha, keys, arguments, process)
  address = process
  rawset(environment, 'KEYS', keys)
  rawset(environment, 'ARGV', arguments)
  setfenv(script, environment)
  local succeeds, result = xpcall(script, located)
  if succeeds then
    return result
  end
  return {err = string.format('%s script: %s, on %s:%d.', tostring(result.err), sha, result.source, result.line)}
end
