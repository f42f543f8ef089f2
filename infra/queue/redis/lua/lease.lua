-- Hands out leases, and refuses claims. Placed behind ledger.lua, in front of the scripts that claim keys.

-- Allows a claim: none while paused, one per BREAKER_CLAIM_MS while the breaker is open.
local function mayClaim()
  if paused then return false end
  if not breakerNext then return true end
  if now < breakerNext then return false end
  breakerNext = now + BREAKER_CLAIM_MS
  call('HSET', META, 'b', breakerNext)
  return true
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

local function fencesOf(key)
  local kept = lastFences > now and call('GET', PREFIX .. 'fences:' .. key)
  local keptUntil, fences = string.match(kept or '', '^(%d+) (.*)$')
  return keptUntil and tonumber(keptUntil) > now and fences or ''
end

local function lease(entry, owner, terms, isNext)
  local causes, readyMs = entry.causes, math.max(0, now - (entry.at or now))
  leave(entry)
  if isNext then
    taken[#taken + 1] = owner
    taken[#taken + 1] = entry.key
  end
  entry.o, entry.s, entry.causes = owner, now, {}
  entry.max, entry.min = terms.attempts, terms.minIntervalMs
  enter(entry, 'r', now + terms.leaseMs)
  save(entry)
  return { entry.key, entry.f, entry.ag, fencesOf(entry.key), readyMs, now, unpack(causes) }
end

-- Reads the terms of a claim: lease ms, attempts, minInterval ms, keys of one tenant that may run at a time (0 = any).
local function termsAt(i)
  return {
    leaseMs = tonumber(ARGV[i]),
    attempts = tonumber(ARGV[i + 1]),
    minIntervalMs = tonumber(ARGV[i + 2]),
    cap = tonumber(ARGV[i + 3]),
  }
end

-- Leases the first of the keys that wait without a token; false when no key waits or may be claimed.
-- `wanted`: how many of them this call will ask for. `before`: only a key that is more urgent than this score.
local candidates, candidate = nil, 0
local function leaseNext(owner, terms, wanted, before)
  -- The answer of an earlier call may have been lost with its connection.
  local own = call('HGET', TAKEN, owner)
  local again = own and held(own, owner)
  if again then return lease(again, owner, terms, true) end
  if paused or (breakerNext and now < breakerNext) then return false end
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
    elseif not holdIfCapped(entry, terms.cap) then
      if not mayClaim() then return false end
      countTurn(entry)
      return lease(entry, owner, terms, true)
    end
  end
  return false
end
