-- Leases the keys of tokens (Q-21, row claim): any number in one call.
--
-- KEYS, ARGV[1..4]  see ledger.lua
-- ARGV[5...]        per token: key, seq or '' for any, owner (different for every claim), 1 = takes another key, too,
--                   lease ms, attempts, minInterval ms, keys of one tenant that may run at a time (0 = any), keys of
--                   one namespace that may run a second (0 = any)
-- Returns           claims: per token 0 when it is stale or nothing may be claimed now, else
--                   {key, failures, again, fences (JSON or ''), ms ready, now, causes...}
-- One call because two copies of a token may arrive at the same time and only one may win (Q-02). A repeated call of
-- the same owner returns the lease again: the connection may have been lost before the answer.

-- Must be possible in a full Redis (maxmemory): after a write that frees memory Redis refuses no other write.
call('DEL', PREFIX .. 'never')

local wanted = (#ARGV - 4) / 9

local function noteWorkers(anyKey)
  if anyKey == not onlyTokens then return end
  onlyTokens = not anyKey
  call('HSET', META, 'k', onlyTokens and '1' or '0')
end

local function claim(i)
  local key, seq, owner, anyKey, terms = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3] == '1', termsAt(i + 4)
  noteWorkers(anyKey)
  local entry = load(key)
  if entry and entry.st == 'r' and entry.o == owner and not entry.dy then return lease(entry, owner, terms) end
  local stale = not entry or entry.st ~= 'q' or (seq ~= '' and entry.seq ~= seq)
  if stale then count('stale') end
  if stale or holdIfCapped(entry, terms.cap) then return anyKey and leaseNext(owner, terms, wanted) end
  local other = anyKey and leaseNext(owner, terms, wanted, score(entry))
  if not other and not refusesClaims() then
    if putOff(entry, terms.perSecond) then return anyKey and leaseNext(owner, terms, wanted) end
    noteClaim()
    return lease(entry, owner, terms)
  end
  zrem(RESEND, key)
  zadd(QUEUE, score(entry), key)
  return other
end

local results = {}
for i = 5, #ARGV, 9 do results[#results + 1] = claim(i) or 0 end
-- Tokens that the claims made room for are sent by finish or tick, whose callers look for tokens.
return reply(results, true)
