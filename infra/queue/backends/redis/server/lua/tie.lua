-- Notes whose data a Redis holds and in which format, and that a process reads them.
--
-- KEYS[1]  owner:   hash: uid and server of the management cluster, format of the data (absent: 1)
-- KEYS[2]  readers: sorted set, "<newest format that it reads> <version of Capstan>" by its last sign in ms since 1970
-- ARGV     [1] uid, or '' unknown  [2] server, or '' unchanged  [3] format that the process writes  [4] oldest and
--          [5] newest format that it reads  [6] version of Capstan  [7] ms after which a silent reader is gone
-- Returns  {uid, server, format of the data, a reader that could not read what this process writes, or ''}; nothing is
--          noted where the uid is another one, the format cannot be read, or there is such a reader
-- One call because two processes that start at once must agree on the owner, and must not both find the other absent.

local OWNER, READERS = KEYS[1], KEYS[2]
local uid, server, writes = ARGV[1], ARGV[2], tonumber(ARGV[3])
local oldest, newest, keptMs = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[7])
local call = redis.call
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local noted = call('HMGET', OWNER, 'uid', 'server', 'format')
local isNew = not noted[1] and not noted[3]
local format = tonumber(noted[3] or (isNew and writes or 1))

local function answer(reader) return { noted[1] or uid, noted[2] or server, format, reader or '' } end

if uid ~= '' and noted[1] and noted[1] ~= uid then return answer() end
if format < oldest or format > newest then return answer() end
call('ZREMRANGEBYSCORE', READERS, '-inf', now - keptMs)
if writes > format or isNew then
  for _, reader in ipairs(call('ZRANGE', READERS, 0, -1)) do
    if tonumber(reader:match('^%d+')) < writes then return answer(reader) end
  end
  format = writes
end
call('HSET', OWNER, 'format', format)
if uid ~= '' then call('HSETNX', OWNER, 'uid', uid) end
if server ~= '' then call('HSET', OWNER, 'server', server) end
call('ZADD', READERS, now, newest .. ' ' .. ARGV[6])
call('PEXPIRE', READERS, keptMs)
return answer()
