-- Releases a key at shutdown: ready again, uncounted, without backoff (Q-14).
--
-- KEYS, ARGV[1..4]  see ledger.lua
-- ARGV[5] key  [6] owner
-- Returns           1, or 0 when fenced
-- One call because the lease may expire between the check of the owner and the change (Q-02).

call('DEL', PREFIX .. 'never')
local entry = held(ARGV[5], ARGV[6])
if not entry then
  count('fenced')
  return reply({ 0 })
end
placeNext(entry, now)
return reply({ 1 })
