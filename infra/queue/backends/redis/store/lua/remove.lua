-- Removes a snapshot with its index entries, if it is the deleted object and not newer.
--
-- KEYS      see type.lua
-- ARGV[1]   field  [2] uid  [3] resourceVersion of the deletion
-- Returns   the removed snapshot, also when it is removed already but maybe not notified; or false
-- One call because a newer version, or an object of the same name, may be stored between the read and the removal.

local field, uid, version = ARGV[1], ARGV[2], ARGV[3]
local head = headOf(field)
if not head then
  local notedUid = noteOf(field)
  return notedUid == uid and redis.call('HGET', BEFORES, field)
end
if head[1] ~= uid or not isAtLeast(version, head[2]) then return false end
local before = redis.call('HGET', OBJECTS, field)
unindex(head)
count(-1, 2 - #head)
redis.call('HDEL', HEADS, field)
redis.call('HDEL', OBJECTS, field)
note(field, uid, version, before)
hint(field)
return before
