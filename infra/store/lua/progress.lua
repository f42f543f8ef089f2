-- How far a type has been stored.
--
-- KEYS      see type.lua
-- Returns   {1 = ready and nothing of it is lost or 0, version or false, scope or false}
-- One call because a count may only be compared with what was there at that instant.

local ready, version, scope = unpack(redis.call('HMGET', META, 'ready', 'version', 'scope'))
return { ready == '1' and isWhole() and 1 or 0, version, scope }
