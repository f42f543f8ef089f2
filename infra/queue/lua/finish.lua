-- Ends a run (queue.md 3, rows finish) and says what is to be sent.
--
-- KEYS, ARGV[1..3]  see ledger.lua
-- ARGV[4] key  [5] owner  [6] ok | again | error  [7] after ms or ''  [8] floor ms after the claim, 0 = none
-- ARGV[9] fences (JSON) or ''  [10] failure (JSON) or ''  [11] 1 = terminal
-- Returns           {1, waitMs, tokens...}, or {0, -1} when fenced
-- One call because an event that arrives between the look at pending events and the removal of the entry would be
-- lost (Q-03, Q-04), and because the lease may expire in between (Q-02).

local key, kind, after, floorMs = ARGV[4], ARGV[6], tonumber(ARGV[7]), tonumber(ARGV[8])
local entry = held(key, ARGV[5])
if not entry then return reply(0) end

if ARGV[9] == '' then
  redis.call('DEL', PREFIX .. 'fences:' .. key)
else
  redis.call('SET', PREFIX .. 'fences:' .. key, ARGV[9], 'PX', FENCES_KEPT_MS)
end
local floor = entry.s + floorMs
if floor > now then
  redis.call('SET', PREFIX .. 'cool:' .. key, string.format('%.0f', floor), 'PX', string.format('%.0f', floor - now))
end

if kind == 'error' then
  fail(entry, ARGV[10], ARGV[11] == '1')
else
  if kind == 'ok' then
    entry.f, entry.ag, entry.ds = 0, 0, nil
  else
    entry.ag = entry.ag + 1
  end
  placeNext(entry, after and now + after)
end
return reply(1)
