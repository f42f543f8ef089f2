-- What the scripts of the read model share; put in front of each of them.
--
-- KEYS[1]  objects: hash, field (JSON [namespace, name]) → snapshot (JSON)
-- KEYS[2]  heads:   hash, field → packed list: uid, resourceVersion, index members of the snapshot
-- KEYS[3]  index:   sorted set, all scores 0, so ordered as text: JSON of index and value, then of the member
-- KEYS[4]  meta:    hash, ready ('1'), version
-- All of one type on one server and in one slot; dropping a type is dropping four keys.

local OBJECTS, HEADS, INDEX, META = KEYS[1], KEYS[2], KEYS[3], KEYS[4]

-- As isAtLeast in shared/runtime/resource-version.ts: by length, then as text; what is not decimal is never enough.
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

-- Versions only grow: whoever lags behind another relay changes nothing.
local function advance(version)
  local known = redis.call('HGET', META, 'version')
  if not isAtLeast(known, version) then redis.call('HSET', META, 'version', version) end
end
