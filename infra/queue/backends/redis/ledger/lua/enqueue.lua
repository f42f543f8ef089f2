-- Accepts events (Q-21, rows enqueue): any number of keys in one call.
--
-- KEYS, ARGV[1..4]  see ledger.lua
-- ARGV[5...]        per event: key, delay ms, priority (1 live, 0 resync), cause or ''
-- Returns           as ledger.lua says, without results
-- One call because what an event does depends on the state of its key, and between reading and writing it a worker
-- could claim or finish that key: the event would be lost (Q-04).

local function upgrade(entry)
  if entry.st ~= 'q' then
    entry.c = 1
    return
  end
  if hasAged(entry) then
    -- It is in the live line already.
    countIn(entry, -1)
    entry.c = 1
    countIn(entry, 1)
    zadd(INDEX.q, sentScore(entry), entry.key)
    return
  end
  flush()
  local resendAt = call('ZSCORE', RESEND, entry.key)
  leave(entry)
  entry.c = 1
  placeAmongReady(entry)
  enter(entry, 'q', sentScore(entry))
  if resendAt then
    zadd(RESEND, resendAt, entry.key)
    send(entry)
  else
    zadd(QUEUE, score(entry), entry.key)
  end
end

local function merge(entry, due, priority)
  count('coalesced')
  if priority == 1 and entry.ds then
    count('revivedLive')
    entry.f, entry.ds = 0, nil
  end
  -- A live key whose run in the slow lane came to no end leaves that line once it is revived.
  local isRevived = priority == 1 and entry.st == 'q' and entry.p == SLOW_PLACE
  if priority > entry.c or isRevived then upgrade(entry) end
  -- A wish that is due now must not wait for the tick that would find the earlier wish due.
  if entry.st == 'w' and (due <= now or due < entry.due) then return place(entry, due) end
  save(entry)
end

local function accept(key, due, priority, cause)
  local entry = load(key)
  if (not entry or entry.st == 'w') and isEcho(fencesOf(key), cause) then return count('coalesced') end
  local isNew = entry == nil
  entry = entry or create(key, priority)
  -- The slow lane tries it again anyhow.
  if entry.st == 'd' and priority == 0 then return end
  -- What came during a run is told from echoes by its cause.
  addCause(entry, cause == '' and entry.st == 'r' and 'unknown' or cause)
  if isNew then
    place(entry, due)
  elseif entry.st == 'r' then
    if entry.pd then count('coalesced') end
    entry.pd = math.min(entry.pd or due, due)
    entry.pc = math.max(entry.pc or priority, priority)
    save(entry)
  elseif entry.st == 'd' then
    leave(entry)
    revive(entry, due)
  else
    merge(entry, due, priority)
  end
end

for i = 5, #ARGV, 4 do accept(ARGV[i], now + tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2]), ARGV[i + 3]) end
return reply()
