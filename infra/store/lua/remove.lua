-- Removes a snapshot with its index entries, if it is the deleted object and not newer.
--
-- KEYS      see type.lua
-- ARGV[1]   field  [2] uid  [3] resourceVersion of the deletion
-- Returns   the removed snapshot or false
-- One call because a newer version, or an object of the same name, may be stored between the look and the removal.

local head = headOf(ARGV[1])
if not head or head[1] ~= ARGV[2] or not isAtLeast(ARGV[3], head[2]) then return false end
local before = redis.call('HGET', OBJECTS, ARGV[1])
unindex(head)
redis.call('HDEL', HEADS, ARGV[1])
redis.call('HDEL', OBJECTS, ARGV[1])
return before
