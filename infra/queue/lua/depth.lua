-- Counts the keys of a function by state.
--
-- KEYS, ARGV[1..3]  see ledger.lua
-- Returns           {ready, waiting, running, dead, ms until the next waiting key is due or -1}
-- One call so that a key which moves meanwhile is counted once, and because only Redis knows the time.

local next = redis.call('ZRANGE', INDEX.w, 0, 0, 'WITHSCORES')
return {
  redis.call('ZCARD', INDEX.q),
  redis.call('ZCARD', INDEX.w),
  redis.call('ZCARD', INDEX.r),
  redis.call('ZCARD', INDEX.d),
  next[2] and math.max(0, tonumber(next[2]) - now) or -1,
}
