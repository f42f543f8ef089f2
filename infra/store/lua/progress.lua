-- Returns how far a type has been stored.
--
-- KEYS      see type.lua
-- ARGV[1]   run id of the server
-- Returns   {1 = this server process got the whole list and has lost nothing of it; or 0, version or false, scope or
-- false} One call because counts must be compared at one instant.

local ready, version, scope, server = unpack(redis.call('HMGET', META, 'ready', 'version', 'scope', 'server'))
return { ready == '1' and ARGV[1] ~= '' and server == ARGV[1] and isWhole() and 1 or 0, version, scope }
