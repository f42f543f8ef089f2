-- The epoch of the ledger: a random text that changes when its data was lost (Q-15).
--
-- KEYS, ARGV[1..4]  see ledger.lua
-- Returns           the epoch
-- One call because two processes that find no epoch must agree on a new one.

return epoch()
