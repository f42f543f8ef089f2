-- Extends a lease, or tells the runner that it has lost it.
--
-- KEYS, ARGV[1..3]  see ledger.lua
-- ARGV[4] key  [5] owner  [6] lease ms
-- Returns           1, or 0 when fenced
-- One call because the key may be taken away between the check of the owner and the extension (Q-02).

if not held(ARGV[4], ARGV[5]) then return 0 end
redis.call('ZADD', INDEX.r, string.format('%.0f', now + tonumber(ARGV[6])), ARGV[4])
return 1
