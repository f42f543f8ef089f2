-- Hands out leases, and refuses claims. Placed behind ledger.lua, in front of the scripts that claim keys.

-- No claim while paused, one per BREAKER_CLAIM_MS while the breaker is open.
local function refusesClaims() return paused or (breakerNext and now < breakerNext) end

local function noteClaim()
  if not breakerNext then return end
  breakerNext = now + BREAKER_CLAIM_MS
  call('HSET', META, 'b', breakerNext)
end

-- Holds back a ready key whose tenant is at its limit; false when it may be claimed.
local function holdIfCapped(entry, cap)
  if cap <= 0 or tally('r' .. entry.tenant) < cap then return false end
  unhand(entry)
  zadd(heldBy(entry.tenant), score(entry), entry.key)
  call('SADD', PREFIX .. 'capped', entry.tenant)
  anyHeldKnown = true
  return true
end

-- Lets a ready key wait whose namespace has run too much (S-31); false when it may run now. After a rest a namespace has
-- the runs of one second at once, then each key gets an instant of its own, which no event brings forward.
local function putOff(entry, perSecond)
  if perSecond <= 0 then return false end
  if not entry.sl then
    local name = PREFIX .. 'spent:' .. string.match(entry.key, '^[^/]*')
    local spent = math.max(now, tonumber(call('GET', name) or 0)) + 1000 / perSecond
    call('SET', name, spent, 'PX', math.ceil(spent - now))
    entry.sl = math.ceil(spent - 1000)
  end
  if entry.sl <= now then return false end
  count('throttled')
  leave(entry)
  entry.seq, entry.due = nextSeq(), entry.sl
  enter(entry, 'w', entry.due)
  if waitMs < 0 or entry.due - now < waitMs then waitMs = entry.due - now end
  save(entry)
  return true
end

local function lease(entry, owner, terms, isNext)
  local causes, readyMs = entry.causes, math.max(0, now - (entry.at or now))
  leave(entry)
  if isNext then
    taken[#taken + 1] = owner
    taken[#taken + 1] = entry.key
  end
  entry.o, entry.s, entry.causes = owner, now, {}
  entry.max, entry.min, entry.sl = terms.attempts, terms.minIntervalMs, nil
  enter(entry, 'r', now + terms.leaseMs)
  save(entry)
  return { entry.key, entry.f, entry.ag, fencesOf(entry.key), readyMs, now, unpack(causes) }
end

-- Reads the terms of a claim: lease ms, attempts, minInterval ms, keys of one tenant that may run at a time and keys of
-- one namespace that may run a second (0 = any).
local function termsAt(i)
  return {
    leaseMs = tonumber(ARGV[i]),
    attempts = tonumber(ARGV[i + 1]),
    minIntervalMs = tonumber(ARGV[i + 2]),
    cap = tonumber(ARGV[i + 3]),
    perSecond = tonumber(ARGV[i + 4]),
  }
end

-- Leases the first of the keys that wait without a token; false when no key waits or may be claimed.
-- `wanted`: how many of them this call will ask for. `before`: only a key that is more urgent than this score.
local function leaseNext(owner, terms, wanted, before)
  -- The answer of an earlier call may have been lost with its connection.
  local own = call('HGET', TAKEN, owner)
  local again = own and held(own, owner)
  if again then return lease(again, owner, terms, true) end
  if refusesClaims() then return false end
  if not candidates then
    flush()
    candidates = call('ZRANGE', QUEUE, 0, wanted + 9)
  end
  while candidate < #candidates do
    candidate = candidate + 1
    local key = candidates[candidate]
    local entry = load(key)
    if not entry or entry.st ~= 'q' then
      zrem(QUEUE, key)
    elseif before and score(entry) >= before then
      candidate = candidate - 1
      return false
    elseif not holdIfCapped(entry, terms.cap) and not putOff(entry, terms.perSecond) then
      noteClaim()
      countTurn(entry)
      return lease(entry, owner, terms, true)
    end
  end
  return false
end
