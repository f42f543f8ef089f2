-- Stops or resumes the claims of a function; events are accepted in both cases (Q-29).
--
-- KEYS, ARGV[1..4]  see ledger.lua
-- ARGV[5]           1 = pause, 0 = resume
-- Returns           as ledger.lua says, without results
-- One call because a resumed function must not wait for the next tick to get its first tokens.

epoch()
paused = ARGV[5] == '1'
if paused then call('HSET', META, 'p', '1') else call('HDEL', META, 'p') end
return reply()
