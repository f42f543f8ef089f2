-- Notes that a process is alive, or has ended, and forgets those that have been silent for too long.
--
-- KEYS[1]  beats: hash, id → beat (JSON)
-- KEYS[2]  seen:  sorted set, id by the time of its last beat in ms since 1970
-- ARGV[1]  id  [2] beat, or '' when the process ends  [3] ms after which it counts as gone
-- Returns  1
-- One call because a beat without its time would stay for ever, and because only Redis knows the time for all.

local BEATS, SEEN = KEYS[1], KEYS[2]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local keptMs = tonumber(ARGV[3])

local function forget(id)
  redis.call('HDEL', BEATS, id)
  redis.call('ZREM', SEEN, id)
end

if ARGV[2] == '' then
  forget(ARGV[1])
else
  redis.call('HSET', BEATS, ARGV[1], ARGV[2])
  redis.call('ZADD', SEEN, now, ARGV[1])
end
for _, id in ipairs(redis.call('ZRANGEBYSCORE', SEEN, '-inf', now - keptMs)) do forget(id) end
redis.call('PEXPIRE', BEATS, keptMs)
redis.call('PEXPIRE', SEEN, keptMs)
return 1
