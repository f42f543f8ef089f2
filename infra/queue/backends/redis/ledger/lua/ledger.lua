-- The ledger of one function: per key one of five states (Q-21). Redis runs these scripts, and so does a Lua in this
-- process for the queue in memory and for the simulation (../../embedded).
--
-- | call              | idle         | waiting          | ready           | running                | dead               |
-- |-------------------|--------------|------------------|-----------------|------------------------|--------------------|
-- | enqueue live      | place(due)   | sooner: place;   | priority live   | pending: earliest due, | failures 0, place  |
-- |                   |              | priority live    | (its live line) | highest priority       |                    |
-- | enqueue resync    | place(due)   | sooner: place    | -               | the same               | -                  |
-- | enqueue its echo  | -            | -                | as above        | as above; over at      | as above           |
-- |                   |              |                  |                 | finish ok              |                    |
-- | requeue           | -            | -                | -               | -                      | dead as seen:      |
-- |                   |              |                  |                 |                        | enqueue live       |
-- | claim             | -            | -                | → running, or   | -                      | -                  |
-- |                   |              |                  | waiting (slot)  |                        |                    |
-- | finish ok         | fenced       | fenced           | fenced          | failures 0; next due   | fenced             |
-- |                   |              |                  |                 | → place, none → idle   |                    |
-- | finish retry      | fenced       | fenced           | fenced          | place(after)           | fenced             |
-- | finish error      | fenced       | fenced           | fenced          | fail                   | fenced             |
-- | renew             | fenced       | fenced           | fenced          | lease longer           | fenced             |
-- | release           | fenced       | fenced           | fenced          | place(now)             | fenced             |
-- | mark-dead         | -            | -                | -               | dying: → dead; pending | -                  |
-- |                   |              |                  |                 | live: enqueue live;    |                    |
-- |                   |              |                  |                 | malformed: → idle      |                    |
-- | tick              | -            | due: → ready     | resync older    | lease expired: fail;   | due in the slow    |
-- |                   |              |                  | than AGING_MS:  | dying: repeated        | lane: as a resync, |
-- |                   |              |                  | to a live line  |                        | place(now)         |
--
-- place(due): due is at least the floor (Q-06), then waiting or ready; the lease and pending events are gone.
-- echo: the event of a write of the key's last run, which that need not see (Q-45).
-- next due: the earlier of what the run wants and the pending event (Q-05), whose priority it takes over.
-- fail: failures + 1. Below the attempts: place(the earlier of backoff and pending event). Terminal, or no attempt
--   left: dying, or with a pending event one attempt left and place(pending) (Q-09).
-- slow lane (Q-10): a dead key is due SLOW_MIN_MS to SLOW_MAX_MS after its last attempt, for ever; at most SLOW_AT_ONCE of them
--   run, or are ready to, and SLOW_PER_SECOND begin in a second. Such a run does not count for the breaker, its failure is
--   dying again, of the same death, and a live event before its end revives the key as it would have revived the dead.
-- dying: still running, but only for the process that writes its letter: it is notified of the death and then marks
--   the key, so no key is dead without a letter. Not marked dead within LETTER_MS: the process that ticks is notified. For
--   finish, renew and release a dying key is fenced like a dead one; but the worker of its last run, if it still finishes
--   that, is notified once more: it knows most about the run.
-- dead: beyond MAX_DEAD the one that is due first → idle.
--
-- Which key a claim takes (Q-11, Q-12): live keys before those of priority resync before those of the slow lane; among each of
-- these every ready key has the number of its turn from the start: past turns, plus the keys of its tenant in front of
-- it, so tenants take turns. None of a tenant beyond maxRunningPerTenant, none while paused, one per second while the
-- breaker is open; events are accepted and time passes meanwhile. A ready key whose namespace has run too much becomes
-- waiting until its slot (S-31), which it keeps: an event before that makes it ready, and the next claim puts it back.
--
-- Tokens call workers: of the ready keys at most `window` have one. The others wait for a worker: a claim takes the first
-- of them when it is more urgent than the token's key, and so does a worker that ends a run (token-queue.ts). A key that
-- must not be claimed loses its token and waits like them, behind `held:<tenant>` while its tenant is at its limit.
--
-- Forbidden: two leases of one key; a finish, renew or release by another than the owner of the lease (answer: fenced,
-- nothing changes); a claim before the floor; a dead key that has no letter. The failure
-- count changes only by finish, expiry, success and revival; `again` and release touch neither count nor floor.
--
-- This file is the part that every script shares; it is placed in front of each of them, with place.lua, lease.lua and
-- outcome.lua as far as it needs them (redis-scripts.ts).
--
-- KEYS[1]  {cap:<function>}:l:  Prefix of all ledger keys of one function. Entry keys are built from it here: a call
--          does not know beforehand which keys it touches, and the braces keep all in one slot.
-- ARGV[1]  random text: the epoch, if this call has to create the counter
-- ARGV[2]  random number in [0, 1), for jitter
-- ARGV[3]  ms until the token of a ready key is sent again
-- ARGV[4]  window: tokens of unclaimed keys at a time; further ready keys wait without one and are handed out by
--          finish and claim to workers that have a slot (Q-30)
-- In front of this file: BACKOFF_MS (table), FENCES_KEPT_MS, MAX_CAUSES, CAUSE_NAMES and CAUSES (c0 to c9, in both ways), LEASE_EXPIRED (JSON), MALFORMED (part of such
--          a failure), RESYNC_SCORE, AGED_SCORE, AGING_MS, MAX_DEAD, LETTER_MS, SLOW_MIN_MS, SLOW_MAX_MS, SLOW_AT_ONCE, SLOW_PER_SECOND, BREAKER_INTERVAL_MS, BREAKER_INTERVALS, BREAKER_MIN_RUNS, BREAKER_CLAIM_MS,
--          HINTS (channel), DURATIONS_MS (limits of the groups of durations).
--
-- k:<key>     hash: st (w waiting, q ready, r running, d dead), due (of a dead or dying key: when it is tried again), c (priority: 1 live, 0 resync), seq, at (ready
--             since), p (place among the ready, smaller first; from RESYNC_PLACE on in the resync line, which a key
--             of priority 0 leaves when it has aged), f (failures, absent = 0), ag (again in a row, absent = 0), o (owner),
--             s (last claim), pd and pc (due and priority of pending events), max and min (attempts and minInterval of the last
--             claim), fl (last failure, JSON), ds (dead since; kept through an attempt in the slow lane), sl (when its namespace lets it run),
--             dy and lo (dying since; who writes the letter), c0 to c9 (causes, newest first, up to an empty one). Fields that a state does not use may be left over: due in q and r, at and p but in q, o and
--             s but in r. Values stay below 64 bytes where they can, which keeps a hash small in Redis.
-- waiting, sent, running, dead   sorted sets of keys: by due, ready since (priority resync behind RESYNC_SCORE, those
--             that have aged behind AGED_SCORE), lease expiry, next attempt (of keys that a former version has marked dead:
--             dead since, so they are due). `sent` holds every ready key.
-- resend      ready keys whose token is under way, by the time at which it is sent again
-- queue       ready keys without a token, by place and arrival; also those that aged while their token was under
--             way: it may never arrive while there is live work
-- held:<tenant>  the same, while their tenant runs as many keys as it may; capped: set of those tenants
-- slow        set of dead keys that are tried again; those that have left the slow lane are removed by a tick
-- taken       hash: owner = key that it was given instead of a token's key; for repeated calls
-- tenants     hash: <state><tenant> = number of keys; states w, r, d, of the ready q1 (live line) and q0 (resync
--             line), and of those in the live line a (aged: of priority resync)
-- meta        hash: e (epoch), n (counter), p (1 = paused), b (breaker open: next claim), h (runs, failures and duration
--             of the runs by interval), l and g (no key has a floor or fences beyond), v1 and v0 (turns that the tenants have had in
--             the live and in the resync line), k (1 = the last claim took its token's key only), x (dead keys that
--             were evicted), f and d1 to d12 (failed runs, and runs by duration, since the ledger began), z (earliest next start in the slow lane)
-- cool:<key>  earliest next claim    fences:<key>  until when they count, and JSON    spent:<namespace>  until when its
--             runs are given away. They hold their own end; that Redis then forgets them only saves memory.
-- ticks       there while a process has the ticks (Q-25); no script looks at it
--
-- A call of Redis from here costs more than most commands do. So changes of sorted sets, removed entries and counts
-- are collected and made at the end, or before the next look at a set.

local FIELDS = { 'st', 'due', 'c', 'seq', 'at', 'p', 'f', 'ag', 'o', 's', 'pd', 'pc', 'max', 'min', 'fl', 'ds', 'sl', 'dy', 'lo' }
local NUMBERS = { due = true, c = true, at = true, p = true, f = true, ag = true, s = true, pd = true, pc = true, max = true, min = true, ds = true, sl = true, dy = true }
local MEANS_SOMETHING = { pd = true, pc = true, ds = true, sl = true, dy = true, f = true, ag = true }
local ABSENT_IS_0 = { f = true, ag = true }
-- Two lines of 2^36 places, and 2^16 arrivals in each: what fits into the 53 bits of a score.
local RESYNC_PLACE, ARRIVALS = 2 ^ 36, 2 ^ 16
-- The last place of the resync line: of dead keys that are tried again.
local SLOW_PLACE = 2 * RESYNC_PLACE - 1
-- Numbers are reserved in blocks; the rest of a block is never used.
local SEQS_AT_ONCE = 64

local call = redis.call

-- The state of a call. A process that plays the scripts itself (../../embedded) defines all of this once: what a call
-- changes is here, and new in each.
local PREFIX, SEED, RANDOM, RESEND_MS, WINDOW
local META, TENANTS, RESEND, QUEUE, SLOW, TAKEN, INDEX
local now, meta, epochText, paused, breakerNext, lastFloor, lastFences, turns, turned, onlyTokens
-- Work of the caller: send these tokens, and tick in so many ms (-1 = no key was left waiting).
local tokens, waitMs
-- Keys that began to die in this call: their letters must be written, then they must be marked dead.
local deaths
-- Counts of this call, for metrics (shared/runtime/queue/queue-port.ts, Counted).
local counts
-- Ended runs of this call with their durations added up, and tenants that run one key less. Runs in the slow lane do not
-- count for the breaker: dead keys whose cause has not gone say nothing about the others.
local runs, failedRuns, slowFailures, busyMs, freed
-- Ended runs of this call by duration: group 12 is longer than all limits.
local durations
-- What flush() will do.
local added, removed, gone, taken, given
local seq, lastSeq, tallies, tallyChanges, tenantCounts, anyHeldKnown
-- Keys whose state this call has changed, and whether it has paused or resumed the function.
local moved, pauseChanged
-- Of place.lua and lease.lua.
local windowLeft, candidates, candidate

local function begin()
  PREFIX, SEED = KEYS[1], ARGV[1]
  RANDOM, RESEND_MS, WINDOW = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
  META, TENANTS, RESEND, QUEUE = PREFIX .. 'meta', PREFIX .. 'tenants', PREFIX .. 'resend', PREFIX .. 'queue'
  SLOW, TAKEN = PREFIX .. 'slow', PREFIX .. 'taken'
  INDEX = { w = PREFIX .. 'waiting', q = PREFIX .. 'sent', r = PREFIX .. 'running', d = PREFIX .. 'dead' }
  local time = call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
  meta = call('HMGET', META, 'e', 'p', 'b', 'h', 'l', 'g', 'v1', 'v0', 'k')
  epochText, paused, breakerNext = meta[1], meta[2] == '1', tonumber(meta[3] or nil)
  lastFloor, lastFences = tonumber(meta[5] or 0), tonumber(meta[6] or 0)
  turns, turned = { [1] = tonumber(meta[7] or 0), [0] = tonumber(meta[8] or 0) }, false
  onlyTokens = meta[9] == '1'
  tokens, waitMs, deaths, counts = {}, -1, {}, {}
  runs, failedRuns, slowFailures, busyMs, freed, durations = 0, 0, 0, 0, {}, {}
  added, removed, gone, taken, given = {}, {}, {}, {}, {}
  seq, lastSeq, tallies, tallyChanges, tenantCounts, anyHeldKnown = 0, 0, {}, {}, nil, nil
  moved, pauseChanged = {}, false
  windowLeft, candidates, candidate = nil, nil, 0
end

local function count(what) counts[what] = (counts[what] or 0) + 1 end
local function countRun(entry, failed)
  local ms = math.max(0, now - tonumber(entry.s or now))
  if not entry.ds then
    runs, busyMs = runs + 1, busyMs + ms
    if failed then failedRuns = failedRuns + 1 end
  elseif failed then
    slowFailures = slowFailures + 1
  end
  local group = 1
  while DURATIONS_MS[group] and ms > DURATIONS_MS[group] do group = group + 1 end
  durations[group] = (durations[group] or 0) + 1
end

local function whole(number) return string.format('%.0f', number) end

local function entryKey(key) return PREFIX .. 'k:' .. key end

local function zadd(index, at, key)
  added[index] = added[index] or {}
  added[index][key] = at
  if removed[index] then removed[index][key] = nil end
end

local function zrem(index, key)
  removed[index] = removed[index] or {}
  removed[index][key] = true
  if added[index] then added[index][key] = nil end
end

-- In parts that fit on Lua's stack.
local function callInParts(command, index, list)
  for i = 1, #list, 1000 do call(command, index, unpack(list, i, math.min(i + 999, #list))) end
end

local function flush()
  for index, keys in pairs(removed) do
    local list = {}
    for key in pairs(keys) do list[#list + 1] = key end
    callInParts('ZREM', index, list)
  end
  for index, keys in pairs(added) do
    local list = {}
    for key, at in pairs(keys) do
      list[#list + 1] = at
      list[#list + 1] = key
    end
    callInParts('ZADD', index, list)
  end
  local entries = {}
  for key in pairs(gone) do entries[#entries + 1] = entryKey(key) end
  for i = 1, #entries, 1000 do call('DEL', unpack(entries, i, math.min(i + 999, #entries))) end
  callInParts('HDEL', TAKEN, given)
  if #taken > 0 then call('HSET', TAKEN, unpack(taken)) end
  added, removed, gone, taken, given = {}, {}, {}, {}, {}
end

-- The tenant of a key: the part before the first '|' (Q-12).
local function tenantOf(key) return string.match(key, '^([^|]*)|') or '' end

local function create(key, priority)
  return { key = key, tenant = tenantOf(key), was = {}, causes = {}, c = priority, f = 0, ag = 0 }
end

local function load(key)
  local fields = not gone[key] and call('HGETALL', entryKey(key)) or {}
  if #fields == 0 then return nil end
  local entry = { key = key, tenant = tenantOf(key), f = 0, ag = 0 }
  local was, causes = {}, {}
  for i = 1, #fields, 2 do
    local name, value = fields[i], fields[i + 1]
    if NUMBERS[name] then
      value = tonumber(value)
      entry[name] = value
    elseif CAUSES[name] then
      causes[CAUSES[name]] = value
    else
      entry[name] = value
    end
    was[name] = value
  end
  -- The rest of an entry whose other fields Redis has lost: its key starts again.
  if not (entry.st and entry.c) then
    call('DEL', entryKey(key))
    return nil
  end
  for i = 1, MAX_CAUSES do if causes[i] == '' then for j = i, MAX_CAUSES do causes[j] = nil end break end end
  entry.was, entry.causes = was, causes
  return entry
end

local function save(entry)
  local set, unset, was, size = { entryKey(entry.key) }, {}, entry.was, 1
  if gone[entry.key] then flush() end
  for i = 1, #FIELDS do
    local name = FIELDS[i]
    local value = entry[name]
    if value == 0 and ABSENT_IS_0[name] then value = nil end
    if value == was[name] then
      -- As it is.
    elseif value ~= nil then
      set[size + 1], set[size + 2], size = name, value, size + 2
      was[name] = value
    elseif MEANS_SOMETHING[name] then
      unset[#unset + 1] = name
      was[name] = nil
    end
  end
  local causes = entry.causes
  for i = 1, math.min(#causes + 1, MAX_CAUSES) do
    local name, value = CAUSE_NAMES[i], causes[i]
    if not value and was[name] then value = '' end
    if value ~= was[name] then
      set[size + 1], set[size + 2], size = name, value, size + 2
      was[name] = value
    end
  end
  if #unset > 0 then call('HDEL', set[1], unpack(unset)) end
  if size > 1 then call('HSET', unpack(set)) end
end

local function epoch()
  if not epochText then
    epochText = SEED
    call('HSET', META, 'e', SEED)
  end
  return epochText
end

local function nextSeq()
  if seq == lastSeq then
    lastSeq = call('HINCRBY', META, 'n', SEQS_AT_ONCE)
    seq = lastSeq - SEQS_AT_ONCE
  end
  seq = seq + 1
  return epoch() .. '-' .. whole(seq)
end

local function tally(name)
  tallies[name] = tallies[name] or tonumber(call('HGET', TENANTS, name) or 0)
  return tallies[name]
end

-- Of a ready key: 1 live, 0 resync.
local function lineOf(entry) return entry.p < RESYNC_PLACE and 1 or 0 end

local function firstPlace(line) return (line == 1 and 0 or RESYNC_PLACE) + math.floor(turns[line]) end

-- The key at the head leaves: every place in front of it is a past turn. Within a turn each tenant has at most one key
-- in front of the head, so a turn is over after as many keys as there are tenants; otherwise tenants that always come
-- back with one key would keep the second key of another tenant waiting for ever.
local function countTurn(entry)
  if entry.p == SLOW_PLACE then return end
  local line = lineOf(entry)
  tenantCounts = tenantCounts or math.max(1, call('HLEN', TENANTS))
  turns[line] = math.min(math.max(turns[line] + 1 / tenantCounts, entry.p % RESYNC_PLACE), RESYNC_PLACE - 1)
  turned = true
end

local function hasAged(entry) return entry.c == 0 and lineOf(entry) == 1 end

local function countAs(state, entry, change)
  local name = state .. entry.tenant
  tallies[name] = tally(name) + change
  tallyChanges[name] = (tallyChanges[name] or 0) + change
end

local function countIn(entry, change)
  if entry.st ~= 'q' then return countAs(entry.st, entry, change) end
  countAs('q' .. lineOf(entry), entry, change)
  if hasAged(entry) then countAs('a', entry, change) end
end

-- `rank`: how many turns of its tenant are in front of it.
local function send(entry, rank)
  local line = lineOf(entry)
  tokens[#tokens + 1] = entry.key
  tokens[#tokens + 1] = entry.seq
  tokens[#tokens + 1] = tostring(line)
  tokens[#tokens + 1] = whole(rank or math.max(0, entry.p - firstPlace(line)))
end

-- Among equals the earlier comes first.
local function score(entry) return entry.p * ARRIVALS + tonumber(string.match(entry.seq, '%d+$')) % ARRIVALS end

local function sentScore(entry)
  if entry.c == 1 then return entry.at end
  return entry.at + (hasAged(entry) and AGED_SCORE or RESYNC_SCORE)
end

local function heldBy(tenant) return PREFIX .. 'held:' .. tenant end

local function anyHeld()
  if anyHeldKnown == nil then anyHeldKnown = call('EXISTS', PREFIX .. 'capped') == 1 end
  return anyHeldKnown
end

-- Removes a ready key from wherever it waits.
local function unhand(entry)
  zrem(RESEND, entry.key)
  zrem(QUEUE, entry.key)
  if entry.at and anyHeld() then zrem(heldBy(entry.tenant), entry.key) end
end

local function leave(entry)
  if not entry.st then return end
  moved[entry.key] = true
  countIn(entry, -1)
  zrem(INDEX[entry.st], entry.key)
  if entry.st == 'q' then unhand(entry) end
  if entry.st == 'r' then
    freed[entry.tenant] = true
    given[#given + 1] = entry.o
  end
  entry.st = nil
end

local function enter(entry, state, at)
  entry.st = state
  moved[entry.key] = true
  countIn(entry, 1)
  zadd(INDEX[state], at, entry.key)
end

local function forget(entry)
  leave(entry)
  gone[entry.key] = true
end

local function fencesOf(key)
  local kept = lastFences > now and call('GET', PREFIX .. 'fences:' .. key)
  local keptUntil, fences = string.match(kept or '', '^(%d+) (.*)$')
  return keptUntil and tonumber(keptUntil) > now and fences or ''
end

-- Whether a cause is a write of the run that has left these fences, and which it need not see (Q-45).
local function isEcho(fences, cause)
  local what, version = string.match(cause, '^([^\t]+)\t([^\t]+)')
  return what and string.find(fences, '"echo":"' .. what .. '@' .. version .. '"', 1, true) ~= nil
end

-- Returns the entry if the key runs under this owner. A dying key no longer runs.
local function held(key, owner)
  local entry = load(key)
  if entry and entry.st == 'r' and entry.o == owner and not entry.dy then return entry end
end

-- Sends tokens for keys that wait without one, as far as the window and the breaker allow claims. Where a worker takes
-- any key, a token only calls a worker: the last keys get one, the first stay where workers look. Where workers run the
-- keys of tokens only, the first keys get one.
local function topUp(most)
  if paused or (breakerNext and now < breakerNext) or call('ZCARD', QUEUE) == 0 then return end
  local free = math.min(breakerNext and 1 or WINDOW, WINDOW) - call('ZCARD', RESEND)
  free = math.min(free, most)
  if free <= 0 then return end
  local first, last = -free, -1
  if onlyTokens then first, last = 0, free - 1 end
  for _, key in ipairs(call('ZRANGE', QUEUE, first, last)) do
    local entry = load(key)
    local ready = entry and entry.st == 'q'
    -- An aged key may be here although its token is under way.
    if not (ready and hasAged(entry) and call('ZSCORE', RESEND, key)) then
      zrem(QUEUE, key)
      if ready then
        if onlyTokens then countTurn(entry) end
        zadd(RESEND, now + RESEND_MS, key)
        -- Rank 0: otherwise tokens of lower rank could delay the token, and its key, for long.
        send(entry, not onlyTokens and 0 or nil)
      end
    end
  end
  flush()
end

-- In the turns that passed meanwhile the tenant ran other keys: they are not repeated.
local function releaseHeld(tenant)
  local first = call('ZPOPMIN', heldBy(tenant))
  if first[1] then
    local at = tonumber(first[2])
    local line = at < RESYNC_PLACE * ARRIVALS and 1 or 0
    zadd(QUEUE, math.max(at, firstPlace(line) * ARRIVALS + at % ARRIVALS), first[1])
  else
    call('SREM', PREFIX .. 'capped', tenant)
  end
end

-- `h` holds the intervals as "number:runs:failures:ms,", the newest first.
local INTERVAL = '(%d+):(%d+):(%d+):(%d+),'
local function settleBreaker()
  if not next(durations) and not breakerNext then return end
  local number = math.floor(now / BREAKER_INTERVAL_MS)
  local total, failures, kept = runs, failedRuns, ''
  local ownRuns, ownFailures, ownMs = runs, failedRuns, busyMs
  for at, ended, failed, ms in string.gmatch(meta[4] or '', INTERVAL) do
    if tonumber(at) == number then
      ownRuns, ownFailures, ownMs = ownRuns + ended, ownFailures + failed, ownMs + ms
    elseif tonumber(at) > number - BREAKER_INTERVALS then
      kept = kept .. at .. ':' .. ended .. ':' .. failed .. ':' .. ms .. ','
    else
      ended, failed = 0, 0
    end
    total, failures = total + ended, failures + failed
  end
  if runs > 0 then
    meta[4] = table.concat({ whole(number), whole(ownRuns), whole(ownFailures), whole(ownMs) }, ':') .. ',' .. kept
    call('HSET', META, 'h', meta[4])
  end
  for group, ended in pairs(durations) do call('HINCRBY', META, 'd' .. group, ended) end
  if failedRuns + slowFailures > 0 then call('HINCRBY', META, 'f', failedRuns + slowFailures) end
  runs, failedRuns, slowFailures, busyMs, durations = 0, 0, 0, 0, {}
  local open = total >= BREAKER_MIN_RUNS and failures * 2 > total
  if open and not breakerNext then
    breakerNext = now + BREAKER_CLAIM_MS
    call('HSET', META, 'b', breakerNext)
  elseif breakerNext and not open then
    breakerNext = nil
    call('HDEL', META, 'b')
  end
end

-- Says which keys have changed, for people who look on. A hint may be lost: a user without the right to publish
-- works all the same.
local function hint()
  local message = { PREFIX }
  for key in pairs(moved) do message[#message + 1] = key end
  if #message > 1 or pauseChanged then redis.pcall('PUBLISH', HINTS, cjson.encode(message)) end
end

-- The end of every call that changes something:
-- {waitMs, {key, seq, priority, rank, ...}, {death, ...}, {counted, how often, ...}, ...results}; a death is {key, priority,
-- failures, dead since, the process that must mark it dead, last failure (JSON), owner of the last run, its claim}
local function reply(results, withoutTokens)
  settleBreaker()
  flush()
  if next(freed) and anyHeld() then
    for tenant in pairs(freed) do releaseHeld(tenant) end
    flush()
  end
  if not withoutTokens and WINDOW > 0 then topUp(100) end
  if turned then call('HSET', META, 'v1', turns[1], 'v0', turns[0]) end
  for name, change in pairs(tallyChanges) do
    if change ~= 0 and call('HINCRBY', TENANTS, name, change) <= 0 then call('HDEL', TENANTS, name) end
  end
  local counted = {}
  for what, times in pairs(counts) do
    counted[#counted + 1] = what
    counted[#counted + 1] = times
  end
  hint()
  return { waitMs, tokens, deaths, counted, unpack(results or {}) }
end
