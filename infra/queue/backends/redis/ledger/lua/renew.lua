-- Extends a lease, or answers that it is lost.
--
-- KEYS, ARGV[1..4]  see ledger.lua
-- ARGV[5] key  [6] owner  [7] lease ms
-- Returns           1, or 0 when fenced
-- One call because the key may be taken away between the check of the owner and the extension (Q-02).

call('DEL', PREFIX .. 'never')
if not held(ARGV[5], ARGV[6]) then return 0 end
call('ZADD', INDEX.r, now + tonumber(ARGV[7]), ARGV[5])
return 1
