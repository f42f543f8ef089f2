-- Moves keys whose time has come: due keys become ready, resync keys that have aged join the live line, lost tokens are
-- sent again, expired leases count as failures, dead keys are tried again.
--
-- KEYS, ARGV[1..4]  see ledger.lua
-- ARGV[5] keys per index and call
-- Returns           as ledger.lua says; the first result is 1 when no key is ready or running, each other one a run
--                   whose lease expired {key, failures, again, owner, claimed at}; waitMs is the time to the earliest
--                   waiting key, 0 when the limit was hit
-- One call because any number of processes tick at once, and only one of them may move a key.

-- Must be possible in a full Redis (maxmemory): after a write that frees memory Redis refuses no other write.
call('DEL', PREFIX .. 'never')

settleBreaker()
local limit = tonumber(ARGV[5])
local more = false

local function upTo(index, last, first)
  flush()
  local keys = call('ZRANGEBYSCORE', index, first or '-inf', whole(last), 'LIMIT', 0, limit)
  more = more or #keys == limit
  return keys
end

-- Returns the entry of a key in an index; a key without an entry in that state is a leftover of lost data.
local function entryIn(state, index, key)
  local entry = load(key)
  if entry and entry.st == state then return entry end
  zrem(index, key)
  if not entry then
    for _, other in ipairs({ INDEX.q, RESEND, QUEUE }) do zrem(other, key) end
  end
end

for _, key in ipairs(upTo(INDEX.w, now)) do
  local entry = entryIn('w', INDEX.w, key)
  if entry then place(entry, now) end
end

if not paused then
  for _, key in ipairs(upTo(RESEND, now)) do
    local entry = entryIn('q', RESEND, key)
    if entry then
      -- With the same seq: with a backlog older than the resend time every token would otherwise be stale on arrival.
      -- A time without ticks, as while Redis was away, is not a backlog: the age counts until the token was due.
      zadd(RESEND, now + math.max(RESEND_MS, call('ZSCORE', RESEND, key) - entry.at), key)
      count('resent')
      -- In front of younger tokens, which may have delayed the first one. The places decide which key the worker then
      -- runs.
      send(entry, 0)
    end
  end
end

-- Moves aged keys to the end of the live keys of their tenant (Q-11). Where workers look for keys they find them there,
-- also while the token is under way among those of resync; no token is sent or becomes stale.
for _, key in ipairs(upTo(INDEX.q, RESYNC_SCORE + now - AGING_MS, whole(RESYNC_SCORE))) do
  local entry = entryIn('q', INDEX.q, key)
  if entry then
    countIn(entry, -1)
    placeInLine(entry, 1)
    countIn(entry, 1)
    save(entry)
    zadd(INDEX.q, sentScore(entry), key)
    local underWay = call('ZSCORE', RESEND, key)
    if not underWay and not call('ZSCORE', QUEUE, key) then zadd(heldBy(entry.tenant), score(entry), key)
    elseif not (underWay and onlyTokens) then zadd(QUEUE, score(entry), key) end
  end
end

-- Runs whose leases expired and that were not the last attempt of their key.
local expired = {}
for _, key in ipairs(upTo(INDEX.r, now)) do
  local entry = entryIn('r', INDEX.r, key)
  if entry then
    RANDOM = (RANDOM + 0.618) % 1
    if entry.dy then
      beginDeath(entry, SEED)
    else
      local run, dead = { key, whole(entry.f + 1), whole(entry.ag), entry.o, whole(entry.s or now) }, #deaths
      fail(entry, { failure = LEASE_EXPIRED, terminal = false, by = SEED })
      if #deaths == dead then expired[#expired + 1] = run end
    end
  end
end

-- How many dead keys may be tried again beside those that are (Q-10). A set because the rest of a death shows only in the
-- entry: no script that ends a death has to know of the slow lane.
local function roomInSlowLane()
  local room = SLOW_AT_ONCE
  for _, key in ipairs(call('SMEMBERS', SLOW)) do
    local entry = load(key)
    if entry and entry.ds and entry.st ~= 'd' and not entry.dy then room = room - 1 else call('SREM', SLOW, key) end
  end
  return room
end

flush()
local slowWaitMs = -1
local first = call('ZRANGE', INDEX.d, 0, 0, 'WITHSCORES')
if first[2] and tonumber(first[2]) <= now then
  local nextAt, room = tonumber(call('HGET', META, 'z') or 0), roomInSlowLane()
  if room > 0 and nextAt <= now then
    local entry = entryIn('d', INDEX.d, first[1])
    if entry then
      nextAt, room = now + 1000 / SLOW_PER_SECOND, room - 1
      call('SADD', SLOW, entry.key)
      call('HSET', META, 'z', nextAt)
      count('slow')
      leave(entry)
      entry.c = 0
      place(entry, now)
    end
  end
  if room > 0 then slowWaitMs = math.max(0, nextAt - now) end
end

for _, tenant in ipairs(call('SRANDMEMBER', PREFIX .. 'capped', 10)) do
  -- The run that should have freed it may have been lost with its data.
  if tally('r' .. tenant) <= 0 then releaseHeld(tenant) end
end

flush()
local atWork = call('ZCARD', INDEX.q) + call('ZCARD', INDEX.r)
if atWork + call('ZCARD', INDEX.w) + call('ZCARD', INDEX.d) == 0 then
  call('DEL', TENANTS, SLOW)
  tallyChanges = {}
end

local answer = reply({ atWork == 0 and 1 or 0, unpack(expired) })
local next = call('ZRANGE', INDEX.w, 0, 0, 'WITHSCORES')
if next[2] then
  local due = math.max(0, tonumber(next[2]) - now)
  if answer[1] < 0 or due < answer[1] then answer[1] = due end
end
if slowWaitMs >= 0 and (answer[1] < 0 or slowWaitMs < answer[1]) then answer[1] = slowWaitMs end
if more then answer[1] = 0 end
return answer
