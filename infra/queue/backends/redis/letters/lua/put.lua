-- Stores a dead letter, counts the deaths of its key and keeps the function within its limits (S-28, S-31).
--
-- KEYS     of the letters of one function, {cap:<function>}:d:<name>: [1] letters and [2] heads (hashes by key), [3] times
--          (hash by key: "<times> <dead since>"), [4] order (sorted set of keys by the time they were stored)
-- ARGV[1]  key  [2] letter  [3] head (JSON)  [4] dead since  [5] now ms  [6] most letters  [7] retention ms
--          [8] letters that make room at once, at most half of the namespace's
-- Returns  {times, letters removed}
-- One call because the next number of deaths depends on the last one, and so that no letter stands in one place only.

local LETTERS, HEADS, TIMES, ORDER = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local key, since, now = ARGV[1], ARGV[4], tonumber(ARGV[5])
local removed = 0

local function remove(keys)
  for _, old in ipairs(keys) do
    redis.call('HDEL', LETTERS, old)
    redis.call('HDEL', HEADS, old)
    redis.call('HDEL', TIMES, old)
    removed = removed + redis.call('ZREM', ORDER, old)
  end
end

local times = 1
local known = redis.call('HGET', TIMES, key)
if known then
  local count, before = string.match(known, '^(%d+) (.+)$')
  -- A probe that failed is the same death (Q-10).
  times = before == since and tonumber(count) or tonumber(count) + 1
end
redis.call('HSET', LETTERS, key, ARGV[2])
redis.call('HSET', HEADS, key, ARGV[3])
redis.call('HSET', TIMES, key, times .. ' ' .. since)
redis.call('ZADD', ORDER, now, key)

remove(redis.call('ZRANGEBYSCORE', ORDER, '-inf', now - tonumber(ARGV[7]), 'LIMIT', 0, 500))

-- The oldest letters of the namespace that has most of them.
local function leaving(excess)
  local byNamespace, fullest = {}, {}
  for _, old in ipairs(redis.call('ZRANGE', ORDER, 0, -1)) do
    local namespace = string.match(old, '^[^/]*')
    local keys = byNamespace[namespace] or {}
    byNamespace[namespace] = keys
    keys[#keys + 1] = old
    if #keys > #fullest then fullest = keys end
  end
  local room = math.max(excess, math.min(tonumber(ARGV[8]), math.floor(#fullest / 2)))
  return { unpack(fullest, 1, math.min(room, 500, #fullest)) }
end

local excess = redis.call('ZCARD', ORDER) - tonumber(ARGV[6])
if excess > 0 then remove(leaving(excess)) end
for _, name in ipairs(KEYS) do redis.call('PEXPIRE', name, ARGV[7]) end
return { times, removed }
