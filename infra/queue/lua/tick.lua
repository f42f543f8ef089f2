-- Lets time have its effect: due keys become ready, old tokens are sent again, expired leases count as failures.
--
-- KEYS, ARGV[1..3]  see ledger.lua
-- ARGV[4] keys per index and call
-- Returns           {1, waitMs, tokens...}; waitMs is the time to the earliest waiting key, 0 when the limit was hit
-- One call because any number of processes tick at once, and each key must be moved by one of them only.

local limit = tonumber(ARGV[4])
local more = false

local function due(index)
  local keys = redis.call('ZRANGEBYSCORE', index, '-inf', string.format('%.0f', now), 'LIMIT', 0, limit)
  more = more or #keys == limit
  return keys
end

-- The entry of a key in an index; what an index holds without an entry in that state is a leftover of lost data.
local function entryIn(state, key)
  local entry = load(key)
  if entry and entry.st == state then return entry end
  redis.call('ZREM', INDEX[state], key)
end

for _, key in ipairs(due(INDEX.w)) do
  local entry = entryIn('w', key)
  if entry then place(entry, now) end
end

for _, key in ipairs(due(INDEX.q)) do
  local entry = entryIn('q', key)
  if entry then
    -- The same seq: with a backlog older than the resend time every token would otherwise be stale on arrival.
    redis.call('ZADD', INDEX.q, string.format('%.0f', now + math.max(RESEND_MS, now - entry.at)), key)
    send(entry)
  end
end

for i, key in ipairs(due(INDEX.r)) do
  local entry = entryIn('r', key)
  if entry then
    RANDOM = (RANDOM + 0.618) % 1
    fail(entry, LEASE_EXPIRED, false)
  end
end

local next = redis.call('ZRANGE', INDEX.w, 0, 0, 'WITHSCORES')
if next[2] then
  local left = math.max(0, tonumber(next[2]) - now)
  if waitMs < 0 or left < waitMs then waitMs = left end
end
if more then waitMs = 0 end
return reply(1)
