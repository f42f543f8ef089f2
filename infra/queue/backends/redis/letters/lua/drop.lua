-- Drops dead letters that are as a person saw them: any number in one call.
--
-- KEYS[1]  {cap:<function>}:d:  see put.lua
-- ARGV[1]  channel of hints
-- ARGV[2...] per letter: key, times, dead since
-- Returns  per letter 1, or 0 when it is gone or another
-- One call because a letter may be replaced between the look at it and its end.

local PREFIX = KEYS[1]
local results, message = {}, { PREFIX }
for i = 2, #ARGV, 3 do
  local key = ARGV[i]
  local isAsSeen = redis.call('HGET', PREFIX .. 'times', key) == ARGV[i + 1] .. ' ' .. ARGV[i + 2]
  if isAsSeen then
    for _, field in ipairs({ 'letters', 'heads', 'times' }) do redis.call('HDEL', PREFIX .. field, key) end
    redis.call('ZREM', PREFIX .. 'order', key)
    message[#message + 1] = key
  end
  results[#results + 1] = isAsSeen and 1 or 0
end
-- A user without the right to publish works all the same.
if #message > 1 then redis.pcall('PUBLISH', ARGV[1], cjson.encode(message)) end
return results
