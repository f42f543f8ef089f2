-- The epoch of the ledger: random text that changes when its data was lost (Q-15).
--
-- KEYS, ARGV[1..4]  see ledger.lua
-- Returns           the epoch
-- One call because two processes that find none must agree on a new one.

return epoch()
