-- Counts the keys of a function by state and tenant, and returns what delays them.
--
-- KEYS, ARGV[1..4]  see ledger.lua
-- ARGV[5]           1 = with the tenants, of which there may be many thousands; 0 = with the runs since the ledger began
-- Returns           {ready, waiting, running, dead, ms until the next waiting key is due or -1, ready of priority
--                   resync, ms the oldest ready key of priority live and of priority resync has been ready or -1,
--                   1 = paused, 1 = breaker open, evicted dead keys, {<state><tenant>, count, ...}, ms by which the tick is late,
--                   runs of the last minute, ms that they took, {failures, runs by duration...}, 1 = paused by BullMQ's own
--                   queue.pause()}
-- One call so that a key which moves meanwhile is counted once, and because only Redis knows the time. It writes
-- nothing: a user without the right to write may call it.

local function ageOf(from, to, offset)
  local first = call('ZRANGEBYSCORE', INDEX.q, from, to, 'WITHSCORES', 'LIMIT', 0, 1)
  return first[2] and math.max(0, now - (tonumber(first[2]) - offset)) or -1
end

local function lastMinute()
  local first = math.floor(now / BREAKER_INTERVAL_MS) - BREAKER_INTERVALS
  local ended, took = 0, 0
  for at, interval, _, ms in string.gmatch(meta[4] or '', INTERVAL) do
    if tonumber(at) > first then ended, took = ended + interval, took + ms end
  end
  return ended, took
end

local border, agedBorder = whole(RESYNC_SCORE), whole(AGED_SCORE)
local next = call('ZRANGE', INDEX.w, 0, 0, 'WITHSCORES')
local expiry = call('ZRANGE', INDEX.r, 0, 0, 'WITHSCORES')
local ended, took = lastMinute()
local lag = now - math.min(tonumber(next[2] or now), tonumber(expiry[2] or now), now)
return {
  call('ZCARD', INDEX.q),
  call('ZCARD', INDEX.w),
  call('ZCARD', INDEX.r),
  call('ZCARD', INDEX.d),
  next[2] and math.max(0, tonumber(next[2]) - now) or -1,
  call('ZCOUNT', INDEX.q, border, '+inf'),
  ageOf('-inf', '(' .. border, 0),
  math.max(ageOf(border, '(' .. agedBorder, RESYNC_SCORE), ageOf(agedBorder, '+inf', AGED_SCORE)),
  paused and 1 or 0,
  breakerNext and 1 or 0,
  tonumber(call('HGET', META, 'x') or 0),
  ARGV[5] == '1' and call('HGETALL', TENANTS) or {},
  lag,
  ended,
  took,
  ARGV[5] == '1' and {} or call('HMGET', META, 'f', 'd1', 'd2', 'd3', 'd4', 'd5', 'd6', 'd7', 'd8', 'd9', 'd10', 'd11', 'd12'),
  call('HEXISTS', string.sub(PREFIX, 1, -3) .. 'run:meta', 'paused'),
}
