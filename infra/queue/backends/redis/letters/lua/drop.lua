-- Drops dead letters that are as a person saw them: any number in one call.
--
-- KEYS     see put.lua
-- ARGV     [1] channel of hints  [2] the beginning of the keys, for a hint
-- ARGV[3...] per letter: key, times, dead since
-- Returns  per letter 1, or 0 when it is gone or another
-- One call because a letter may be replaced between the look at it and its end.

local TIMES, ORDER = KEYS[3], KEYS[4]
local results, message = {}, { ARGV[2] }
for i = 3, #ARGV, 3 do
  local key = ARGV[i]
  local isAsSeen = redis.call('HGET', TIMES, key) == ARGV[i + 1] .. ' ' .. ARGV[i + 2]
  if isAsSeen then
    for hash = 1, 3 do redis.call('HDEL', KEYS[hash], key) end
    redis.call('ZREM', ORDER, key)
    message[#message + 1] = key
  end
  results[#results + 1] = isAsSeen and 1 or 0
end
-- A user without the right to publish works all the same.
if #message > 1 then redis.pcall('PUBLISH', ARGV[1], cjson.encode(message)) end
return results
