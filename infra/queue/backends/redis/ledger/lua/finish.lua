-- Ends runs (Q-21, rows finish), returns the tokens to send, and gives the worker's free slot its next
-- key: any number in one call.
--
-- KEYS, ARGV[1..4]  see ledger.lua
-- ARGV[5...]        per run: key, owner, ok | retry | error, after ms or '', floor ms after the claim (0 = none),
--                   fences (JSON), '' or kept, failure (JSON) or '', 1 = terminal, owner of the next claim or '', lease ms,
--                   attempts, minInterval ms, keys of one tenant that may run at a time (0 = any), keys of one
--                   namespace that may run a second (0 = any)
-- Returns           accepted, claim, ...: per run 1, or 0 when it was fenced, and the next claim as claim.lua gives it,
--                   or 0
-- One call because an event that arrives between the read of pending events and the removal of the entry would be
-- lost (Q-03, Q-04), and because the lease may expire in between (Q-02).

-- Must be possible in a full Redis (maxmemory): after a write that frees memory Redis refuses no other write.
call('DEL', PREFIX .. 'never')

local function keepFences(key, fences)
  if fences == 'kept' then return end
  if fences ~= '' then
    call('SET', PREFIX .. 'fences:' .. key, whole(now + FENCES_KEPT_MS) .. ' ' .. fences, 'PX', FENCES_KEPT_MS)
    if lastFences < now + FENCES_KEPT_MS then
      -- In steps of a second, so that only some runs have to write it.
      lastFences = now + FENCES_KEPT_MS + 1000
      call('HSET', META, 'g', lastFences)
    end
  elseif lastFences > now then
    call('DEL', PREFIX .. 'fences:' .. key)
  end
end

local function keepFloor(key, startedAt, floorMs)
  local floor = startedAt + floorMs
  if floor <= now then return end
  call('SET', PREFIX .. 'cool:' .. key, floor, 'PX', floor - now)
  if lastFloor < floor then
    lastFloor = floor + 1000
    call('HSET', META, 'l', lastFloor)
  end
end

-- Most runs end like this: done, and no event is pending. Without the rest of the entry it takes half the time.
local function finishDone(i)
  local key = ARGV[i]
  local values = gone[key] and {} or call('HMGET', entryKey(key), 'st', 'o', 's', 'pd', 'dy', 'ds')
  if values[1] ~= 'r' or values[2] ~= ARGV[i + 1] or values[4] or values[5] or values[6] then return false end
  keepFences(key, ARGV[i + 5])
  keepFloor(key, values[3], tonumber(ARGV[i + 4]))
  countRun({ s = values[3] })
  forget({ key = key, tenant = tenantOf(key), st = 'r', o = values[2] })
  return true
end

-- The events of its own writes, which the run need not see, came during it.
local function dropEchoes(entry, fences)
  if #entry.causes == 0 or #entry.causes == MAX_CAUSES then return end
  for _, cause in ipairs(entry.causes) do if not isEcho(fences, cause) then return end end
  entry.pd, entry.pc, entry.causes = nil, nil, {}
  count('coalesced')
end

local function finish(i)
  local key, kind, after = ARGV[i], ARGV[i + 2], tonumber(ARGV[i + 3])
  if kind == 'ok' and not after and finishDone(i) then return 1 end
  local entry = held(key, ARGV[i + 1])
  if not entry then
    entry = load(key)
    if kind == 'error' and entry and entry.dy and entry.o == ARGV[i + 1] then
      -- This worker knows most about the last run. Or the answer of an earlier call was lost with its connection.
      beginDeath(entry, entry.o)
      return 1
    end
    count('fenced')
    return 0
  end
  keepFences(key, ARGV[i + 5])
  keepFloor(key, entry.s, tonumber(ARGV[i + 4]))
  if kind == 'error' then
    fail(entry, { failure = ARGV[i + 6], terminal = ARGV[i + 7] == '1', by = entry.o })
    return 1
  end
  if kind == 'ok' then
    countRun(entry)
    entry.f, entry.ag, entry.ds = 0, 0, nil
    dropEchoes(entry, ARGV[i + 5])
  else
    entry.ag = entry.ag + 1
  end
  placeNext(entry, after and now + after)
  return 1
end

-- Old runs first: whether the breaker was open before these runs must not depend on when the last tick was.
settleBreaker()
local results = {}
for i = 5, #ARGV, 14 do
  results[#results + 1] = finish(i)
  results[#results + 1] = 0
end
settleBreaker()
local wanted = 0
for i = 5, #ARGV, 14 do if ARGV[i + 8] ~= '' then wanted = wanted + 1 end end
for i = 5, #ARGV, 14 do
  if ARGV[i + 8] ~= '' then results[(i - 5) / 14 * 2 + 2] = leaseNext(ARGV[i + 8], termsAt(i + 9), wanted) or 0 end
end
return reply(results)
