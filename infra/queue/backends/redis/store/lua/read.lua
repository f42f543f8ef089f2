-- Looks at types of one server: how far each is, and what is asked for, all of one instant.
--
-- KEYS      per type: objects, heads, index, meta, as type.lua says
-- ARGV[1]   snapshots of lists in one answer; the caller reads further ones by itself
-- ARGV      per look: place of its type (1 = the first), how, number of texts, these texts:
--           progress; get: field; members: how the members of an index value begin;
--           list: the same of one value or several, none = all objects
-- Returns   per type {ready, version, scope, server, objects, entries, refusal, and how many of objects, heads and
--           index there are}; then per look: false; snapshot or false; members without their beginning; {fields,
--           snapshots of the first of them}
-- Called as a script that only reads (EVAL_RO): any other counts as a write of its keys, and a worker may only read
-- them. One call because what is read counts only while its type is ready.

local room = tonumber(ARGV[1])

-- A member begins with a bracket; `\` is the character after it.
local function membersAt(index, prefix)
  local members = redis.call('ZRANGEBYLEX', index, '[' .. prefix .. '[', '(' .. prefix .. '\\')
  for i = 1, #members do members[i] = string.sub(members[i], #prefix + 1) end
  return members
end

-- A member is JSON of tenant, namespace, name and maybe `true`; the field is JSON of namespace and name.
local function fieldOf(member)
  local plain = string.gsub(member, '\\.', '..')
  local _, comma = string.find(plain, '",', 3, true)
  return '[' .. string.gsub(string.sub(member, comma + 1), ',true%]$', ']')
end

local function fieldsAt(index, first, last)
  local fields, known = {}, {}
  for i = first, last do
    for _, member in ipairs(membersAt(index, ARGV[i])) do
      local field = fieldOf(member)
      if not known[field] then fields[#fields + 1] = field end
      known[field] = true
    end
  end
  return fields
end

local function list(objects, index, first, last)
  local fields = last < first and redis.call('HKEYS', objects) or fieldsAt(index, first, last)
  local bodies, most = {}, math.min(#fields, room)
  room = room - most
  for i = 1, most do bodies[i] = redis.call('HGET', objects, fields[i]) end
  return { fields, bodies }
end

local function look(at, how, first, last)
  local objects, index = KEYS[4 * at - 3], KEYS[4 * at - 1]
  if how == 'get' then return redis.call('HGET', objects, ARGV[first]) end
  if how == 'members' then return membersAt(index, ARGV[first]) end
  return how == 'list' and list(objects, index, first, last)
end

local results = {}
for i = 1, #KEYS, 4 do
  local progress = redis.call('HMGET', KEYS[i + 3], 'ready', 'version', 'scope', 'server', 'objects', 'entries', 'refusal')
  for k, count in ipairs({ 'HLEN', 'HLEN', 'ZCARD' }) do progress[7 + k] = redis.call(count, KEYS[i + k - 1]) end
  results[#results + 1] = progress
end
local i = 2
while i <= #ARGV do
  local last = i + 2 + tonumber(ARGV[i + 2])
  results[#results + 1] = look(tonumber(ARGV[i]), ARGV[i + 1], i + 3, last)
  i = last + 1
end
return results
