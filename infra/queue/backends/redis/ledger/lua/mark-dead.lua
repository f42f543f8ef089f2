-- Ends the death of a key whose letter exists (Q-26): dead, or with a live event since then revived at once.
--
-- KEYS, ARGV[1..4]  see ledger.lua
-- ARGV[5] key  [6] the process that must mark it dead, as the death says
-- Returns           1, or 0 when another process marks it dead
-- One call because an event that arrives between the read of pending events and the death would be lost (Q-04).

local function die(entry)
  enter(entry, 'd', entry.due)
  save(entry)
  flush()
  for _ = MAX_DEAD + 1, call('ZCARD', INDEX.d) do
    local first = call('ZRANGE', INDEX.d, 0, 0)[1]
    local evicted = load(first)
    if evicted then forget(evicted) else zrem(INDEX.d, first) end
    flush()
    call('HINCRBY', META, 'x', 1)
  end
end

call('DEL', PREFIX .. 'never')
local entry = load(ARGV[5])
if not (entry and entry.st == 'r' and entry.dy and entry.lo == ARGV[6]) then return reply({ 0 }) end
leave(entry)
entry.ds, entry.dy = entry.dy, nil
local due, priority = entry.pd, entry.pc
entry.pd, entry.pc = nil, nil
if priority == 1 then
  revive(entry, due)
elseif string.find(entry.fl or '', MALFORMED, 1, true) then
  -- No run can ever succeed with it: the letter is all that stays.
  forget(entry)
else
  die(entry)
end
return reply({ 1 })
