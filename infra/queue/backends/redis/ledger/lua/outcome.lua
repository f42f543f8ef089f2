-- Moves a key at the end of its run. Placed behind ledger.lua and place.lua, in front of the scripts that end runs.

-- Places a key after a run that did not fail: at the earlier of `wanted` and the pending event, else idle.
local function placeNext(entry, wanted)
  if not entry.pd and not wanted then return forget(entry) end
  local priority = entry.c
  if entry.pd then priority = wanted and math.max(entry.c, entry.pc) or entry.pc end
  local due = math.min(entry.pd or wanted, wanted or entry.pd)
  leave(entry)
  entry.c = priority
  if entry.ds and priority == 1 then revive(entry, due) else place(entry, due) end
end

-- Leases a key that has failed for good once more: to the process that writes its letter and then marks it dead, so that no
-- key is dead without a letter. If that process is killed, a tick finds another.
local function beginDeath(entry, by)
  leave(entry)
  entry.dy, entry.lo = entry.dy or entry.ds or now, by
  enter(entry, 'r', now + LETTER_MS)
  save(entry)
  deaths[#deaths + 1] = { entry.key, tostring(entry.c), whole(entry.f), whole(entry.dy), by, entry.fl, entry.o, whole(entry.s or 0) }
end

-- `run`: failure (JSON), terminal, and the process that writes the letter, if it is the last.
local function fail(entry, run)
  if run.failure == LEASE_EXPIRED then count('expired') end
  entry.f = entry.f + 1
  entry.ag = 0
  entry.fl = run.failure
  local pending, priority = entry.pd, entry.pc
  leave(entry)
  if pending then entry.c = math.max(entry.c, priority) end
  countRun(entry, true)
  if entry.ds and priority == 1 then
    revive(entry, pending)
  elseif not entry.ds and not run.terminal and entry.f < entry.max then
    local backoff = BACKOFF_MS[math.min(entry.f, #BACKOFF_MS)]
    local retryAt = now + math.max(entry.min, math.floor(backoff * (1 + 0.1 * RANDOM) + 0.5))
    place(entry, math.min(pending or retryAt, retryAt))
  elseif entry.ds or not pending then
    entry.due = now + SLOW_MIN_MS + math.floor(RANDOM * (SLOW_MAX_MS - SLOW_MIN_MS))
    beginDeath(entry, run.by)
  else
    entry.f = entry.max - 1
    place(entry, pending)
  end
end
