-- What the end of a run means for its key. Behind ledger.lua and place.lua, in front of what ends runs.

-- After a run that did not fail: as soon as it or a pending event wants, else idle.
local function placeNext(entry, wanted)
  if not entry.pd and not wanted then return forget(entry) end
  local class = entry.c
  if entry.pd then class = wanted and math.max(entry.c, entry.pc) or entry.pc end
  local due = math.min(entry.pd or wanted, wanted or entry.pd)
  leave(entry)
  entry.c = class
  place(entry, due)
end

local function die(entry)
  leave(entry)
  entry.ds = entry.ds or now
  enter(entry, 'd', entry.ds)
  save(entry)
  for _, value in ipairs({ entry.key, tostring(entry.c), whole(entry.f), whole(entry.ds) }) do
    deaths[#deaths + 1] = value
  end
  flush()
  for _ = MAX_DEAD + 1, call('ZCARD', INDEX.d) do
    local oldest = call('ZRANGE', INDEX.d, 0, 0)[1]
    local evicted = load(oldest)
    if evicted then forget(evicted) else zrem(INDEX.d, oldest) end
    flush()
    call('HINCRBY', META, 'x', 1)
  end
end

local function fail(entry, failure, terminal)
  entry.f = entry.f + 1
  entry.ag = 0
  entry.fl = failure
  local pending, class = entry.pd, entry.pc
  leave(entry)
  if pending then entry.c = math.max(entry.c, class) end
  runs, failedRuns = runs + 1, failedRuns + 1
  if not terminal and entry.f < entry.max then
    local backoff = BACKOFF_MS[math.min(entry.f, #BACKOFF_MS)]
    local retryAt = now + math.max(entry.min, math.floor(backoff * (1 + 0.1 * RANDOM) + 0.5))
    place(entry, math.min(pending or retryAt, retryAt))
  elseif not pending then
    die(entry)
  else
    local revived = entry.ds and class == 1
    entry.f = revived and 0 or entry.max - 1
    if revived then entry.ds = nil end
    place(entry, pending)
  end
end
