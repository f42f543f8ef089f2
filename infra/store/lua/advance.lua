-- Notes how far a type has been stored.
--
-- KEYS      see type.lua
-- ARGV[1]   '1', '0' or '' (unchanged): ready  [2] version or ''
-- Returns   1
-- One call because two relays advance at the same time, and the greater version must stay.

if ARGV[1] ~= '' then redis.call('HSET', META, 'ready', ARGV[1]) end
if ARGV[2] ~= '' then advance(ARGV[2]) end
return 1
