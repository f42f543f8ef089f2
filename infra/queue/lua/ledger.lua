-- What every script of the ledger shares; put in front of each of them. The state machine is documented in
-- infra/queue/ledger.ts, the fields of an entry below.
--
-- KEYS[1]  {cap:<function>}:l:  Prefix of all ledger keys of one function. Entry keys are built from it here: a call
--          does not know beforehand which it touches, and the braces keep them all in one slot.
-- ARGV[1]  random text: the epoch, should this call have to create the counter
-- ARGV[2]  random number in [0, 1), for jitter
-- ARGV[3]  ms until the token of a ready key is sent again
-- In front of this file: BACKOFF_MS (table), FENCES_KEPT_MS, MAX_CAUSES, LEASE_EXPIRED (JSON).
--
-- k:<key>     hash: st (w waiting, q ready, r running, d dead), due, c (class: 1 live, 0 resync), seq, at (ready
--             since), f (failures), ag (again in a row), cs (causes, newest first, a JSON text per line), o (owner),
--             s (last claim), pd and pc (due and class of pending events), max and min (attempts and minInterval of
--             the last claim), fl (last failure, JSON), ds (dead since; kept through a probe)
-- waiting, sent, running, dead   sorted sets of keys by due, next resend, lease expiry, dead since
-- meta        hash: e (epoch), n (counter)
-- cool:<key>  earliest next claim, expires then    fences:<key>  JSON, expires

local PREFIX = KEYS[1]
local SEED, RANDOM, RESEND_MS = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local INDEX = { w = PREFIX .. 'waiting', q = PREFIX .. 'sent', r = PREFIX .. 'running', d = PREFIX .. 'dead' }
local FIELDS = { 'st', 'due', 'c', 'seq', 'at', 'f', 'ag', 'cs', 'o', 's', 'pd', 'pc', 'max', 'min', 'fl', 'ds' }
local NUMBERS = { due = true, c = true, at = true, f = true, ag = true, s = true, pd = true, pc = true, max = true, min = true, ds = true }

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- What the caller shall do: send these tokens, and tick in so many ms (-1 = nothing was left waiting).
local tokens = {}
local waitMs = -1

local function entryKey(key) return PREFIX .. 'k:' .. key end

local function load(key)
  local values = redis.call('HMGET', entryKey(key), unpack(FIELDS))
  if not values[1] then return nil end
  local entry = { key = key }
  for i, name in ipairs(FIELDS) do
    if values[i] then entry[name] = NUMBERS[name] and tonumber(values[i]) or values[i] end
  end
  return entry
end

local function save(entry)
  local set, unset = {}, {}
  for _, name in ipairs(FIELDS) do
    local value = entry[name]
    if value == nil then
      unset[#unset + 1] = name
    else
      set[#set + 1] = name
      set[#set + 1] = NUMBERS[name] and string.format('%.0f', value) or value
    end
  end
  if entry.loaded ~= false then redis.call('HDEL', entryKey(entry.key), unpack(unset)) end
  redis.call('HSET', entryKey(entry.key), unpack(set))
end

local function create(key, class) return { key = key, loaded = false, c = class, f = 0, ag = 0 } end

local function epoch()
  local known = redis.call('HGET', PREFIX .. 'meta', 'e')
  if known then return known end
  redis.call('HSET', PREFIX .. 'meta', 'e', SEED)
  return SEED
end

local currentEpoch
local function nextSeq()
  currentEpoch = currentEpoch or epoch()
  return currentEpoch .. '-' .. redis.call('HINCRBY', PREFIX .. 'meta', 'n', 1)
end

local function send(entry)
  tokens[#tokens + 1] = entry.key
  tokens[#tokens + 1] = entry.seq
  tokens[#tokens + 1] = tostring(entry.c)
end

local function move(entry, state, score)
  if entry.st and entry.st ~= state then redis.call('ZREM', INDEX[entry.st], entry.key) end
  entry.st = state
  redis.call('ZADD', INDEX[state], string.format('%.0f', score), entry.key)
end

local function place(entry, due)
  local floor = tonumber(redis.call('GET', PREFIX .. 'cool:' .. entry.key) or 0)
  local at = math.max(due, floor)
  entry.o, entry.pd, entry.pc, entry.at, entry.due = nil, nil, nil, nil, nil
  entry.seq = nextSeq()
  if at > now then
    entry.due = at
    move(entry, 'w', at)
    if waitMs < 0 or at - now < waitMs then waitMs = at - now end
  else
    entry.at = now
    move(entry, 'q', now + RESEND_MS)
    send(entry)
  end
  save(entry)
end

-- After a run that did not fail: as soon as it or a pending event wants, else idle.
local function placeNext(entry, wanted)
  if entry.pd then
    entry.c = wanted and math.max(entry.c, entry.pc) or entry.pc
    place(entry, math.min(entry.pd, wanted or entry.pd))
  elseif wanted then
    place(entry, wanted)
  else
    redis.call('ZREM', INDEX[entry.st], entry.key)
    redis.call('DEL', entryKey(entry.key))
  end
end

local function fail(entry, failure, terminal)
  entry.f = entry.f + 1
  entry.ag = 0
  entry.fl = failure
  if entry.pd then entry.c = math.max(entry.c, entry.pc) end
  if not terminal and entry.f < entry.max then
    local backoff = BACKOFF_MS[math.min(entry.f, #BACKOFF_MS)]
    local retryAt = now + math.max(entry.min, math.floor(backoff * (1 + 0.1 * RANDOM) + 0.5))
    place(entry, math.min(entry.pd or retryAt, retryAt))
  elseif not entry.pd then
    entry.ds = entry.ds or now
    entry.o = nil
    move(entry, 'd', entry.ds)
    save(entry)
  else
    local revived = entry.ds and entry.pc == 1
    entry.f = revived and 0 or entry.max - 1
    if revived then entry.ds = nil end
    place(entry, entry.pd)
  end
end

local function held(key, owner)
  local entry = load(key)
  if entry and entry.st == 'r' and entry.o == owner then return entry end
end

-- {1 = done or 0 = fenced, waitMs, key, seq, class, key, seq, class, ...}
local function reply(done) return { done, waitMs, unpack(tokens) } end
