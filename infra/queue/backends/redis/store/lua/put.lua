-- Stores snapshots and their index entries, each unless the stored one is as new.
--
-- KEYS      see type.lua
-- ARGV      per snapshot: field, uid, resourceVersion, snapshot, number of index members, these members
-- Returns   per snapshot: 1 = stored, or stored already but maybe not notified; or 0; then the snapshot before or false
-- One call because a reader must never find an object through an index entry that does not fit it, nor a change without
-- an earlier one of its kind; and because two relays may store two versions at the same time, of which the newer must
-- stay.

local function put(field, uid, version, snapshot, first, last)
  local head = headOf(field)
  local before = redis.call('HGET', OBJECTS, field)
  if head and head[1] == uid and isAtLeast(head[2], version) then
    local notedUid, notedVersion = noteOf(field)
    if notedUid == uid and notedVersion == version then return 1, redis.call('HGET', BEFORES, field) end
    return 0, before
  end

  if head then unindex(head) end
  local new = { uid, version }
  for i = first, last do
    redis.call('ZADD', INDEX, 0, ARGV[i])
    new[#new + 1] = ARGV[i]
  end
  count(head and 0 or 1, #new - (head and #head or 2))
  redis.call('HSET', HEADS, field, cmsgpack.pack(new))
  redis.call('HSET', OBJECTS, field, snapshot)
  note(field, uid, version, before)
  hint(field)
  return 1, before
end

local results, i = {}, 1
while i <= #ARGV do
  local last = i + 4 + tonumber(ARGV[i + 4])
  local stored, before = put(ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], i + 5, last)
  results[#results + 1] = stored
  results[#results + 1] = before or false
  i = last + 1
end
return results
