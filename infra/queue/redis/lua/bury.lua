-- Ends the death of a key whose letter exists (Q-26): dead, or with an event since then revived at once.
--
-- KEYS, ARGV[1..4]  see ledger.lua
-- ARGV[5] key  [6] the process that must bury it, as the death says
-- Returns           1, or 0 when another process buries it
-- One call because an event that arrives between the read of pending events and the death would be lost (Q-04).

local function die(entry)
  enter(entry, 'd', entry.ds)
  save(entry)
  flush()
  for _ = MAX_DEAD + 1, call('ZCARD', INDEX.d) do
    local oldest = call('ZRANGE', INDEX.d, 0, 0)[1]
    local evicted = load(oldest)
    if evicted then forget(evicted) else zrem(INDEX.d, oldest) end
    flush()
    call('HINCRBY', META, 'x', 1)
  end
end

call('DEL', PREFIX .. 'never')
local entry = load(ARGV[5])
if not (entry and entry.st == 'r' and entry.dy and entry.lo == ARGV[6]) then return reply({ 0 }) end
leave(entry)
entry.ds, entry.dy = entry.dy, nil
if entry.pd then revive(entry, entry.pd, entry.pc) else die(entry) end
return reply({ 1 })
