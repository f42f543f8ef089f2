-- Sends a live event to dead keys that are as a person saw them (Q-40): any number in one call.
--
-- KEYS, ARGV[1..4]  see ledger.lua
-- ARGV[5]           cause of their next runs
-- ARGV[6...]        per key: key, dead since
-- Returns           as ledger.lua says; per key 1, or 0 when it is not dead or has died again since
-- One call because the key may live, or die again, between the look at it and the event.

local results = {}
for i = 6, #ARGV, 2 do
  local entry = load(ARGV[i])
  local isAsSeen = entry ~= nil and entry.st == 'd' and entry.ds == tonumber(ARGV[i + 1])
  if isAsSeen then
    addCause(entry, ARGV[5])
    leave(entry)
    revive(entry, now)
  end
  results[#results + 1] = isAsSeen and 1 or 0
end
return reply(results)
