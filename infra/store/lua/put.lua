-- Stores a snapshot and its index entries, unless the stored one is as new.
--
-- KEYS      see type.lua
-- ARGV[1]   field  [2] uid  [3] resourceVersion  [4] snapshot  [5...] index members
-- Returns   {1 = stored, or stored already but maybe not notified; or 0, the snapshot before or false}
-- One call because a reader must never find an object through an index entry that does not fit it, and because two
-- relays may store two versions at the same time, of which the newer must stay.

local field, uid, version = ARGV[1], ARGV[2], ARGV[3]
local head = headOf(field)
local before = redis.call('HGET', OBJECTS, field)
if head and head[1] == uid and isAtLeast(head[2], version) then
  local notedUid, notedVersion = noteOf(field)
  if notedUid == uid and notedVersion == version then return { 1, redis.call('HGET', BEFORES, field) } end
  return { 0, before }
end

if head then unindex(head) end
local new = { uid, version }
for i = 5, #ARGV do
  redis.call('ZADD', INDEX, 0, ARGV[i])
  new[#new + 1] = ARGV[i]
end
count(head and 0 or 1, #new - (head and #head or 2))
redis.call('HSET', HEADS, field, cmsgpack.pack(new))
redis.call('HSET', OBJECTS, field, ARGV[4])
note(field, uid, version, before)
hint(field)
return { 1, before }
