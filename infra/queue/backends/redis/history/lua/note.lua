-- Adds runs to rings, newest in front, and removes what is too old or too much.
--
-- KEYS      [1] rings: ids by the second of their last run * 2^20 + their bytes, so that one score holds both  [2] bytes of
--           all rings, by these scores  [3..] the list of each ring below, its runs: "<times> <since> <text of an idle
--           run>\n<JSON>"
-- ARGV[1]   bytes of all rings together  [2] now in seconds since 1970, by the clock of the worker
-- ARGV[3..] per ring: id, number of runs, then each run, the oldest first: times, since, text of an idle run or '', JSON
-- Returns   {bytes of all rings, ids of those that left}. Their lists are for the caller to remove: a script names every key
--           beforehand. One that another worker notes in between begins again without its runs.
-- One call because workers that note runs of one key at once must not count its bytes twice.

local RINGS, BYTES = KEYS[1], KEYS[2]
local PER_SECOND = 2 ^ 20
local call, now = redis.call, tonumber(ARGV[2])
local total, removed = tonumber(call('GET', BYTES) or 0), {}

local function bytesOf(id)
  local score = call('ZSCORE', RINGS, id)
  return score and tonumber(score) % PER_SECOND
end

local function fold(newest, times, since, idle)
  if idle == '' or not newest then return end
  local head = newest:match('^[^\n]*')
  local before, first, same = head:match('^(%d+) (%S+) (.*)$')
  if same == idle then return before + times, first end
end

local function add(ring, times, since, idle, json)
  local newest = call('LINDEX', ring, 0)
  local sum, first = fold(newest, times, since, idle)
  local value = string.format('%d %s %s\n%s', sum or times, first or since, idle, json)
  if sum then
    call('LSET', ring, 0, value)
    return #value - #newest
  end
  local added = #value
  if call('LPUSH', ring, value) > MAX_RUNS then added = added - #call('RPOP', ring) end
  return added
end

local function remove(id)
  total = total - bytesOf(id)
  removed[#removed + 1] = id
  call('ZREM', RINGS, id)
end

local at, place = 3, 3
while at < #ARGV do
  local id, runs = ARGV[at], tonumber(ARGV[at + 1])
  local before, ring = bytesOf(id), KEYS[place]
  local bytes = before or RING_BYTES
  for run = 0, runs - 1 do
    bytes = bytes + add(ring, unpack(ARGV, at + 2 + run * 4, at + 5 + run * 4))
  end
  call('PEXPIRE', ring, RUNS_KEPT_MS)
  call('ZADD', RINGS, now * PER_SECOND + math.min(bytes, PER_SECOND - 1), id)
  total = total + bytes - (before or 0)
  at, place = at + 2 + runs * 4, place + 1
end

for _, id in ipairs(call('ZRANGEBYSCORE', RINGS, '-inf', (now - RUNS_KEPT_MS / 1000) * PER_SECOND, 'LIMIT', 0, 1000)) do
  remove(id)
end
while total > tonumber(ARGV[1]) do
  local oldest = call('ZRANGE', RINGS, 0, 0)[1]
  -- A part of the keys was removed by hand.
  if not oldest then total = 0 break end
  remove(oldest)
end
call('SET', BYTES, string.format('%d', total), 'PX', RUNS_KEPT_MS)
call('PEXPIRE', RINGS, RUNS_KEPT_MS)
return { total, removed }
