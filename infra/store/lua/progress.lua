-- How far a type has been stored.
--
-- KEYS      see type.lua
-- ARGV[1]   run id of the server
-- Returns   {1 = ready by what this server was told itself, and nothing of it is lost; or 0, version or false, scope or false}
-- One call because a count may only be compared with what was there at that instant.

local ready, version, scope, server = unpack(redis.call('HMGET', META, 'ready', 'version', 'scope', 'server'))
return { ready == '1' and ARGV[1] ~= '' and server == ARGV[1] and isWhole() and 1 or 0, version, scope }
