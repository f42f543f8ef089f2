-- Gives a key back at shutdown: ready again, uncounted, without backoff (Q-14).
--
-- KEYS, ARGV[1..3]  see ledger.lua
-- ARGV[4] key  [5] owner
-- Returns           {1, waitMs, tokens...}, or {0, -1} when fenced
-- One call because the lease may expire between the check of the owner and the change (Q-02).

local entry = held(ARGV[4], ARGV[5])
if not entry then return reply(0) end
placeNext(entry, now)
return reply(1)
