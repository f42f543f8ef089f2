-- Counts a write, unless as many were counted within the window.
--
-- KEYS[1]  what was written within the window: ids by their time
-- ARGV     [1] now, ms  [2] window, ms  [3] most of them  [4] id
-- Returns  1 if it may be sent, else 0
-- One call because workers that ask at once must not both get the last place.

local call, now, window = redis.call, tonumber(ARGV[1]), tonumber(ARGV[2])
call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
if call('ZSCORE', KEYS[1], ARGV[4]) then return 1 end
if call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
call('ZADD', KEYS[1], now, ARGV[4])
call('PEXPIRE', KEYS[1], window)
return 1
