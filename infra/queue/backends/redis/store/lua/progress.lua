-- Says of each type how far it is, and how much of it is there: any number in one call, all of one instant.
--
-- KEYS      none. A script counts as a write of the keys that it names, and a worker may only read here; what it reads
--           is checked by its commands.
-- ARGV      per type: objects, heads, index, meta (type.lua)
-- Returns   per type: {ready, version, scope, server, objects, entries and refusal of meta}, and the sizes of objects,
--           heads and index

local results = {}
for i = 1, #ARGV, 4 do
  results[i] = redis.call('HMGET', ARGV[i + 3], 'ready', 'version', 'scope', 'server', 'objects',
    'entries', 'refusal')
  results[i + 1] = redis.call('HLEN', ARGV[i])
  results[i + 2] = redis.call('HLEN', ARGV[i + 1])
  results[i + 3] = redis.call('ZCARD', ARGV[i + 2])
end
return results
