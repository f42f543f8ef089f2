-- The part that the scripts of the read model share; placed in front of each of them.
--
-- KEYS[1]  objects: hash, field (JSON [namespace, name]) → snapshot (JSON)
-- KEYS[2]  heads:   hash, field → packed list: uid, resourceVersion, index members of the snapshot
-- KEYS[3]  index:   sorted set, all scores 0, so ordered as text: JSON of index and value, then of the member
-- KEYS[4]  meta:    hash, ready ('1') for the server process `server` (a run id), version, scope; objects and entries:
--          how many there must be
-- KEYS[5]  notes:   hash, field → packed list: uid, resourceVersion of the last change that may not have been notified
-- KEYS[6]  befores: hash, field → snapshot before that change; none = added
-- In front of this file: HINTS (channel).
-- All of one type on one server and in one slot; dropping a type is dropping six keys.

local OBJECTS, HEADS, INDEX, META, NOTES, BEFORES = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]

-- As isAtLeast in shared/runtime/resource-version.ts: by length, then as text; a text that is not decimal is never
-- enough.
local function isDecimal(text) return text == '0' or string.match(text, '^[1-9]%d*$') ~= nil end
local function isAtLeast(a, b)
  if not a or not isDecimal(a) or not isDecimal(b) then return false end
  if #a ~= #b then return #a > #b end
  return a >= b
end

local function headOf(field)
  local packed = redis.call('HGET', HEADS, field)
  if packed then return cmsgpack.unpack(packed) end
end

local function unindex(head)
  for i = 3, #head do redis.call('ZREM', INDEX, head[i]) end
end

-- The expected number is counted apart from the keys, so that a lost key is noticed.
local function count(objects, entries)
  redis.call('HINCRBY', META, 'objects', objects)
  redis.call('HINCRBY', META, 'entries', entries)
end

local function note(field, uid, version, before)
  redis.call('HSET', NOTES, field, cmsgpack.pack({ uid, version }))
  if before then redis.call('HSET', BEFORES, field, before) else redis.call('HDEL', BEFORES, field) end
end

-- Says that an object has changed, for people who look on. A hint may be lost: a user without the right to
-- publish works all the same.
local function hint(field) redis.pcall('PUBLISH', HINTS, cjson.encode({ OBJECTS, field })) end

local function noteOf(field)
  local packed = redis.call('HGET', NOTES, field)
  if packed then return unpack(cmsgpack.unpack(packed)) end
end
