-- Lets time have its effect: due keys become ready, resync keys that have aged join the live line, lost tokens are sent
-- again, expired leases count as failures, the long dead are forgotten.
--
-- KEYS, ARGV[1..4]  see ledger.lua
-- ARGV[5] keys per index and call
-- Returns           as ledger.lua says; each result is a run that nobody has finished {key, failures, again, owner, claimed at};
--                   waitMs is the time to the earliest waiting key, 0 when the limit was hit
-- One call because any number of processes tick at once, and each key must be moved by one of them only.

-- Time must go on in a full Redis (maxmemory): after a write that frees memory no other is refused.
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

-- The entry of a key in an index; what an index holds without an entry in that state is a leftover of lost data.
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
      -- The same seq: with a backlog older than the resend time every token would otherwise be stale on arrival.
      zadd(RESEND, now + math.max(RESEND_MS, now - entry.at), key)
      count('resent')
      -- In front of younger tokens, which may have kept the first one from a worker. Which key that worker then runs
      -- is decided by the places.
      send(entry, 0)
    end
  end
end

-- To the end of the live keys of its tenant (Q-11). Where workers look for keys it is found there, also when its token
-- is under way among those of resync; no token is sent or becomes stale.
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

-- Runs that nobody has finished and that were not the last attempt of their key.
local expired = {}
for _, key in ipairs(upTo(INDEX.r, now)) do
  local entry = entryIn('r', INDEX.r, key)
  if entry then
    RANDOM = (RANDOM + 0.618) % 1
    if entry.dy then
      condemn(entry, SEED)
    else
      local run, dead = { key, whole(entry.f + 1), whole(entry.ag), entry.o, whole(entry.s or now) }, #deaths
      fail(entry, { failure = LEASE_EXPIRED, terminal = false, by = SEED })
      if #deaths == dead then expired[#expired + 1] = run end
    end
  end
end

for _, key in ipairs(upTo(INDEX.d, now - DEAD_KEPT_MS)) do
  local entry = entryIn('d', INDEX.d, key)
  if entry then forget(entry) end
end

for _, tenant in ipairs(call('SRANDMEMBER', PREFIX .. 'capped', 10)) do
  -- Whoever should have freed it may have been lost with its data.
  if tally('r' .. tenant) <= 0 then releaseHeld(tenant) end
end

flush()
local left = 0
for _, index in pairs(INDEX) do left = left + call('ZCARD', index) end
if left == 0 then
  call('DEL', TENANTS)
  tallyChanges = {}
end

local answer = reply(expired)
local next = call('ZRANGE', INDEX.w, 0, 0, 'WITHSCORES')
if next[2] then
  local due = math.max(0, tonumber(next[2]) - now)
  if answer[1] < 0 or due < answer[1] then answer[1] = due end
end
if more then answer[1] = 0 end
return answer
