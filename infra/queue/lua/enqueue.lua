-- Accepts events (queue.md 3, row enqueue): any number of keys in one call.
--
-- KEYS, ARGV[1..3]  see ledger.lua
-- ARGV[4...]        per event: key, delay ms, class (1 live, 0 resync), cause (JSON on one line) or ''
-- Returns           {1, waitMs, tokens...}
-- One call because what an event does depends on the state of its key, and between reading and writing it a worker
-- could claim or finish that key: the event would be lost (Q-04).

local function addCause(entry, cause)
  if cause == '' then return end
  local lines = { cause }
  for line in string.gmatch(entry.cs or '', '[^\n]+') do
    if line ~= cause and #lines < MAX_CAUSES then lines[#lines + 1] = line end
  end
  entry.cs = table.concat(lines, '\n')
end

local function merge(entry, due, class)
  if class == 1 and entry.ds then entry.f, entry.ds = 0, nil end
  local upgraded = class > entry.c
  if upgraded then entry.c = class end
  if entry.st == 'w' and due < entry.due then return place(entry, due) end
  if entry.st == 'q' and upgraded then send(entry) end
  save(entry)
end

for i = 4, #ARGV, 4 do
  local key, due, class = ARGV[i], now + tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2])
  local entry = load(key)
  local known = entry ~= nil
  entry = entry or create(key, class)
  addCause(entry, ARGV[i + 3])
  if not known then
    place(entry, due)
  elseif entry.st == 'r' then
    entry.pd = math.min(entry.pd or due, due)
    entry.pc = math.max(entry.pc or class, class)
    save(entry)
  elseif entry.st == 'd' then
    entry.c = class
    entry.f = class == 1 and 0 or entry.max - 1
    if class == 1 then entry.ds = nil end
    place(entry, due)
  else
    merge(entry, due, class)
  end
end
-- ARGV may carry more tokens than unpack can push at once; callers stay below 500 events.
return reply(1)
