-- Leases the key of a token (queue.md 3, row claim).
--
-- KEYS, ARGV[1..3]  see ledger.lua
-- ARGV[4] key  [5] seq of the token  [6] owner, different for every claim  [7] lease ms  [8] attempts
-- ARGV[9] minInterval ms
-- Returns           nil when the token is stale, else {failures, again, causes (a JSON text per line), fences (JSON or '')}
-- One call because two copies of a token may arrive at the same time and only one may win (Q-02). A repetition by
-- the same owner gives the lease again: the connection may have been lost before the answer.

local key, seq, owner, leaseMs = ARGV[4], ARGV[5], ARGV[6], tonumber(ARGV[7])
local entry = load(key)
if not entry then return false end
local repeated = entry.st == 'r' and entry.o == owner
if not repeated and (entry.st ~= 'q' or entry.seq ~= seq) then return false end

local causes = entry.cs or ''
move(entry, 'r', now + leaseMs)
if not repeated then
  entry.o, entry.s, entry.at, entry.cs = owner, now, nil, nil
  entry.max, entry.min = tonumber(ARGV[8]), tonumber(ARGV[9])
  save(entry)
end
return { entry.f, entry.ag, causes, redis.call('GET', PREFIX .. 'fences:' .. key) or '' }
