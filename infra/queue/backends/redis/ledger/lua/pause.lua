-- Stops or resumes the claims of a function; events are accepted in both cases (Q-29).
--
-- KEYS, ARGV[1..4]  see ledger.lua
-- ARGV[5]           1 = pause, 0 = resume
-- Returns           as ledger.lua says; 1, or 0 when it was so before
-- One call because a resumed function must not wait for the next tick to get its first tokens.

epoch()
local before = paused
paused = ARGV[5] == '1'
if paused then call('HSET', META, 'p', '1') else call('HDEL', META, 'p') end
pauseChanged = paused ~= before
return reply({ pauseChanged and 1 or 0 })
