-- Places a key that is not running: waiting or ready. Placed behind ledger.lua, in front of the scripts that place
-- keys.

-- Gives a ready key a token while the window lasts; none while claims are refused.
local function offer(entry)
  if not windowLeft then
    windowLeft = call('ZCARD', QUEUE) == 0 and WINDOW - call('ZCARD', RESEND) or 0
  end
  if windowLeft > 0 and not paused and not breakerNext then
    windowLeft = windowLeft - 1
    zadd(RESEND, now + RESEND_MS, entry.key)
    send(entry)
  else
    windowLeft = 0
    zadd(QUEUE, score(entry), entry.key)
  end
end

-- Places a key behind the keys of its tenant, one per turn (Q-12).
local function placeInLine(entry, line)
  entry.p = firstPlace(line) + math.min(tally('q' .. line .. entry.tenant), RESYNC_PLACE - 1 - math.floor(turns[line]))
end

-- A dead key that is tried again comes behind all others.
local function placeAmongReady(entry)
  if entry.ds then entry.p = SLOW_PLACE else placeInLine(entry, entry.c) end
end

local function place(entry, due)
  local floor = lastFloor > now and tonumber(call('GET', PREFIX .. 'cool:' .. entry.key) or 0) or 0
  local at = math.max(due, floor)
  leave(entry)
  entry.pd, entry.pc = nil, nil
  entry.seq = nextSeq()
  if at > now then
    entry.due = at
    enter(entry, 'w', at)
    if waitMs < 0 or at - now < waitMs then waitMs = at - now end
  else
    entry.at = now
    placeAmongReady(entry)
    enter(entry, 'q', sentScore(entry))
    offer(entry)
  end
  save(entry)
end

local function addCause(entry, cause)
  if cause == '' then return end
  local causes = { cause }
  for _, other in ipairs(entry.causes) do
    if other ~= cause and #causes < MAX_CAUSES then causes[#causes + 1] = other end
  end
  entry.causes = causes
end

-- Revives a dead key: a live event gives it all its attempts (Q-10).
local function revive(entry, due)
  count('revivedLive')
  entry.c, entry.f, entry.ds = 1, 0, nil
  place(entry, due)
end
