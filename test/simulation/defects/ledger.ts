import { type Defect, type Edit, edited } from "./defect.ts";

/** A running key that an event comes for (`enqueue.lua`). */
const PENDING = `    entry.pd = math.min(entry.pd or due, due)
    entry.pc = math.max(entry.pc or priority, priority)`;
const END_OF_DONE = "    entry.f, entry.ag, entry.ds = 0, 0, nil";
const LEASE = "  return { entry.key, entry.f, entry.ag, fencesOf(entry.key)";

/** Waits in a row do not end with a success. */
export const COUNTED_WAITS: readonly Edit[] = [
  ["finish", "    entry.ag = entry.ag + 1", "    entry.ag = call('HINCRBY', PREFIX .. 'waits', key, 1)"],
  [
    "lease",
    LEASE,
    "  return { entry.key, entry.f, tonumber(call('HGET', PREFIX .. 'waits', entry.key) or 0), fencesOf(entry.key)",
  ],
];

/** The state machine of keys: lines of its scripts that say something else. */
export const ledgerDefects: readonly Defect[] = [
  {
    number: "D-02",
    title: "a change during processing is dropped",
    target: { workload: "W-02", faults: [] },
    patch: () => ({ scripts: edited(["enqueue", PENDING, ""]) }),
  },
  {
    number: "D-03",
    title: "a second run is started at once, without waiting for the first",
    target: { workload: "W-02", faults: [] },
    patch: () => ({ scripts: edited(["enqueue", PENDING, "    place(entry, due)"]) }),
  },
  {
    number: "D-15",
    title: "the backoff is never reset",
    target: { workload: "W-01", faults: ["X-22"] },
    patch: () => ({
      scripts: edited(
        ["finish", END_OF_DONE, "    entry.ag, entry.ds = 0, nil"],
        [
          "outcome",
          "  entry.f = entry.f + 1",
          "  entry.f = call('HINCRBY', PREFIX .. 'total', entry.key, 1)",
        ],
        ["outcome", "not run.terminal and entry.f < entry.max then", "not run.terminal then"],
        [
          "lease",
          LEASE,
          "  return { entry.key, tonumber(call('HGET', PREFIX .. 'total', entry.key) or 0), entry.ag, fencesOf(entry.key)",
        ],
      ),
    }),
  },
  {
    number: "D-16",
    title: "a dead letter blocks its key for ever",
    target: { workload: "W-01", faults: ["X-25"] },
    patch: () => ({
      scripts: edited(["enqueue", "    leave(entry)\n    revive(entry, due)", ""]),
    }),
  },
  {
    number: "D-35",
    title: "a requeue overtakes an event that waits for the end of the run",
    target: { workload: "W-02", faults: [] },
    patch: () => ({
      scripts: edited(["enqueue", "entry.pd = math.min(entry.pd or due, due)", "entry.pd = due + 60000"]),
    }),
  },
  {
    number: "D-38",
    title: "the count of waits is never reset",
    target: { workload: "W-05", faults: ["X-13"] },
    patch: () => ({ scripts: edited(...COUNTED_WAITS) }),
  },
  {
    number: "D-39",
    title: "the limit of a tenant is one too high",
    target: { workload: "W-12", faults: [] },
    patch: () => ({
      scripts: edited(["lease", "tally('r' .. entry.tenant) < cap", "tally('r' .. entry.tenant) <= cap"]),
    }),
  },
  {
    number: "D-53",
    title: "what no retry can mend by itself is tried again a year later",
    target: { workload: "W-01", faults: ["X-25"] },
    patch: () => ({
      scripts: edited(["outcome", "now + SLOW_MIN_MS +", "now + 365 * 24 * 3600000 +"]),
    }),
  },
  {
    number: "D-54",
    title: "a key whose lease expires is forgotten",
    target: { workload: "W-01", faults: ["X-01"] },
    patch: () => ({
      scripts: edited([
        "tick",
        "      fail(entry, { failure = LEASE_EXPIRED, terminal = false, by = SEED })",
        "      forget(entry)",
      ]),
    }),
  },
  {
    number: "D-56",
    title: "fences that a run leaves are not kept",
    target: { workload: "W-02", faults: ["X-13"] },
    patch: () => ({
      scripts: edited(["finish", "  if fences == 'kept' then return end", "  do return end"]),
    }),
  },
  {
    number: "D-57",
    title: "a run is ended by a worker that has lost its lease",
    target: { workload: "W-02", faults: ["X-31"] },
    patch: () => ({
      scripts: edited([
        "ledger",
        "entry.st == 'r' and entry.o == owner and not entry.dy",
        "entry.st == 'r' and not entry.dy",
      ]),
    }),
  },
  {
    number: "D-59",
    title: "an event waits as long as its key does",
    target: { workload: "W-15", faults: [] },
    patch: () => ({
      scripts: edited([
        "enqueue",
        "if entry.st == 'w' and (due <= now or due < entry.due) then return place(entry, due) end",
        "",
      ]),
    }),
  },
  {
    number: "D-60",
    title: "a run that asks for a later one gets none",
    target: { workload: "W-15", faults: [] },
    patch: () => ({
      scripts: edited(["finish", "placeNext(entry, after and now + after)", "placeNext(entry)"]),
    }),
  },
  {
    number: "D-62",
    title: "a doubled token starts a key that runs",
    target: { workload: "W-02", faults: ["X-30"] },
    patch: () => ({
      scripts: edited([
        "claim",
        "not entry or entry.st ~= 'q' or (seq",
        "not entry or (entry.st ~= 'r' and entry.st ~= 'q') or (seq",
      ]),
    }),
  },
  {
    number: "D-63",
    title: "keys over the limit of their tenant wait for ever",
    target: { workload: "W-12", faults: [] },
    patch: () => ({
      scripts: edited(["ledger", "for tenant in pairs(freed) do releaseHeld(tenant) end", ""]),
    }),
  },
  {
    number: "D-58",
    title: "what comes during a run that asks for no later one is forgotten",
    target: { workload: "W-02", faults: [] },
    patch: () => ({ scripts: edited(["outcome", "if not entry.pd and not wanted", "if not wanted"]) }),
  },
  {
    number: "D-65",
    title: "a ready key gets no token",
    target: { workload: "W-01", faults: [] },
    patch: () => ({ scripts: edited(["place", "entry.key)\n    send(entry)", "entry.key)"]) }),
  },
  {
    number: "D-55",
    title: "an event is due a minute late",
    target: { workload: "W-02", faults: [] },
    patch: () => ({
      scripts: edited(["enqueue", "now + tonumber(ARGV[i + 1])", "now + 60000 + tonumber(ARGV[i + 1])"]),
    }),
  },
  {
    number: "D-61",
    title: "a claim comes without the fences of its key",
    target: { workload: "W-02", faults: ["X-13"] },
    patch: () => ({ scripts: edited(["lease", "fencesOf(entry.key), readyMs", "'', readyMs"]) }),
  },
  {
    number: "D-64",
    title: "a run that is done keeps its key until its lease expires",
    target: { workload: "W-02", faults: [] },
    patch: () => ({
      scripts: edited([
        "finish",
        "if kind == 'ok' and not after and finishDone(i) then return 1 end",
        "if kind == 'ok' and not after then return 1 end",
      ]),
    }),
  },
];
