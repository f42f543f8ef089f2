-- Notes how far a type has been stored and notified of.
--
-- KEYS      see type.lua
-- ARGV[1]   '1', '0' or '' (unchanged): ready  [2] version or ''  [3] scope or ''  [4] run id of the server
--           [5] refusal or ''
-- Returns   1
-- One call because two relays advance at the same time, and the greater version must stay; and because the notes up to
-- a version must not be forgotten without the version.

-- A type is complete only if this server process got its whole list: another one has lost the first part of it,
-- and so has one that was wiped meanwhile.
if ARGV[1] == '0' or ARGV[1] == '1' and redis.call('HGET', META, 'server') == ARGV[4] then
  redis.call('HSET', META, 'ready', ARGV[1], 'server', ARGV[4])
  if ARGV[1] == '1' then redis.call('HDEL', META, 'refusal') end
end
if ARGV[5] ~= '' and redis.call('HGET', META, 'ready') ~= '1' then
  redis.call('HSET', META, 'refusal', ARGV[5])
end
if ARGV[3] ~= '' then redis.call('HSET', META, 'scope', ARGV[3]) end
if ARGV[2] == '' then return 1 end

-- Versions only grow: a relay that lags behind another one changes nothing.
local reached = redis.call('HGET', META, 'version')
if not isAtLeast(reached, ARGV[2]) then
  reached = ARGV[2]
  redis.call('HSET', META, 'version', reached)
end
local notes = redis.call('HGETALL', NOTES)
for i = 1, #notes, 2 do
  local _, version = unpack(cmsgpack.unpack(notes[i + 1]))
  if isAtLeast(reached, version) then
    redis.call('HDEL', NOTES, notes[i])
    redis.call('HDEL', BEFORES, notes[i])
  end
end
return 1
