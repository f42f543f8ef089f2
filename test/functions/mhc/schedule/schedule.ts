import type { RemediationPolicy } from "../../../../shared/api/remediation-policy.ts";
import { type Seeded, seeded } from "../../../simulation/kernel/seeded.ts";

/** All that Nodes, owner and workers do in one random play. Times are ms since its beginning. */
export interface Schedule {
  readonly seed: number;
  readonly machines: number;
  readonly limit: Limit;
  /** With a template, requests for an external controller; otherwise the owner acts. */
  readonly remediator: "owner" | "external";
  readonly owner: Owner;
  /** How an external controller ends: it lets the Node recover, hands the Machine to its owner, or does nothing. */
  readonly external: "reboots" | "gives up" | "gives up in the older conditions" | "sleeps";
  /** Snapshots have requests. */
  readonly isWatched: boolean;
  /** Of a second health check of the same Machines, whose Nodes may fail for longer; absent: there is none. */
  readonly second?: Limit | undefined;
  readonly policy?: PolicySpec | undefined;
  readonly flips: readonly Flip[];
  /** Workers of each function, without any lease between them. */
  readonly workers: number;
  readonly hasDuplicates: boolean;
  /** The most that a snapshot is behind. */
  readonly lagMs: number;
  /** The most that a run stands still before one of its reads or writes. */
  readonly stallMs: number;
  /** The most that a write is under way. */
  readonly landsMs: number;
  /** Of the clocks of workers and kubelets, to both sides. */
  readonly skewMs: number;
}

/** As text in the health check, and as a number of targets. */
export interface Limit {
  readonly triggerIf: {
    readonly unhealthyLessThanOrEqualTo?: number | string;
    readonly unhealthyInRange?: string;
  };
  readonly number?: number;
  readonly percent?: number;
}

/** Limits of a RemediationPolicy of the Cluster beside those of the health checks. */
type PolicySpec = Pick<
  RemediationPolicy["spec"],
  "pacing" | "cooldownSeconds" | "retries" | "controlPlaneQuorum"
>;

/** `stale`: deletes what its cache shows as handed over, whatever has become of it. */
type Owner = "prompt" | "late" | "stale" | "paused" | "never cleans up";

/** A Node becomes Ready or not, or is gone. */
export interface Flip {
  readonly atMs: number;
  readonly slot: number;
  readonly to: "Ready" | "NotReady" | "Gone";
}

const SECOND = 1_000;
export const PLAYED_MS = 120 * SECOND;
const FLIPPING_MS = 100 * SECOND;

/** Everything that may be: two checks of the same Machines, a policy, requests that may not be watched. */
export function scheduleOf(seed: number): Schedule {
  const schedule = plainScheduleOf(seed);
  return { ...schedule, ...moreOf(seed, schedule) };
}

/** One check and no policy, so that nothing else holds up a hand-over. */
export function plainScheduleOf(seed: number): Schedule {
  const random = seeded(seed, "limit-schedule");
  const limit = random.pick(LIMITS);
  const machines = 2 + random.below(3);
  // A percentage is of the targets: an owner that deletes one that is not in flight would lower it by itself.
  const owners = OWNERS.filter((owner) => limit.percent === undefined || owner !== "stale");
  return {
    seed,
    machines,
    limit,
    remediator: random.pick(["owner", "external"] as const),
    owner: random.pick(owners),
    external: random.pick(["reboots", "gives up", "sleeps"] as const),
    flips: flipsOf(random, machines),
    workers: 1 + random.below(2),
    hasDuplicates: random.below(2) === 0,
    lagMs: random.pick([0, 2 * SECOND, 10 * SECOND, 30 * SECOND]),
    stallMs: random.pick([0, 2 * SECOND, 8 * SECOND, 8 * SECOND]),
    landsMs: random.pick([20, 2 * SECOND, 10 * SECOND, 10 * SECOND]),
    skewMs: random.pick([0, 15 * SECOND]),
    isWatched: true,
  };
}

/** Drawn for themselves, so that the rest of a schedule stays as it is. */
function moreOf(
  seed: number,
  { remediator, external, limit }: Pick<Schedule, "remediator" | "external" | "limit">,
) {
  const random = seeded(seed, "limit-schedule-more");
  // A second check of another kind of limit has no bound in common with the first.
  const limits = LIMITS.filter((other) => (other.percent === undefined) === (limit.percent === undefined));
  const policies = POLICIES.filter((policy) => remediator === "owner" || policy?.controlPlaneQuorum !== true);
  return {
    isWatched: random.below(3) > 0,
    second: random.below(4) === 0 ? random.pick(limits) : undefined,
    policy: random.pick(policies),
    external:
      external === "gives up" && random.below(2) === 0
        ? ("gives up in the older conditions" as const)
        : external,
  };
}

/** A request that lands late finds the entry of a quorum ended: no policy of that kind for external controllers. */
const POLICIES: readonly (PolicySpec | undefined)[] = [
  ...[undefined, undefined, undefined, undefined],
  { pacing: { maxRemediations: 1, windowSeconds: 60 } },
  { cooldownSeconds: 20 },
  { retries: { perMachine: 1, perController: 2, windowSeconds: 60 } },
  { controlPlaneQuorum: true },
];

const LIMITS: readonly Limit[] = [
  { triggerIf: { unhealthyLessThanOrEqualTo: 1 }, number: 1 },
  { triggerIf: { unhealthyLessThanOrEqualTo: 1 }, number: 1 },
  { triggerIf: { unhealthyLessThanOrEqualTo: 2 }, number: 2 },
  { triggerIf: { unhealthyLessThanOrEqualTo: "40%" }, percent: 40 },
  { triggerIf: { unhealthyLessThanOrEqualTo: "50%" }, percent: 50 },
  { triggerIf: { unhealthyInRange: "[1-2]" }, number: 2 },
];

const OWNERS: readonly Owner[] = ["prompt", "late", "stale", "paused", "never cleans up"];

/** Nodes fail alone or several within seconds and most come back; some flap all the time, or one in turn with another. */
function flipsOf(random: Seeded, machines: number): readonly Flip[] {
  const slots = Array.from({ length: Math.min(machines, 3) }, (_, slot) => slot);
  const ways = [
    () => failuresOf(random, machines),
    () => slots.flatMap((slot) => flappingOf(random, slot)),
    () => relayOf(random, slots.length),
    () => relayOf(random, slots.length),
  ];
  const flips = random.pick(ways)();
  return flips.toSorted((a, b) => a.atMs - b.atMs);
}

function flappingOf(random: Seeded, slot: number): readonly Flip[] {
  const flips: Flip[] = [];
  const longestMs = random.pick([10 * SECOND, 40 * SECOND]);
  for (let atMs = random.below(longestMs); atMs < FLIPPING_MS; atMs += SECOND + random.below(longestMs)) {
    flips.push({ atMs, slot, to: flips.length % 2 === 0 ? "NotReady" : "Ready" });
  }
  return flips;
}

/** One recovers at the moment at which the next one fails, about as long after its own failure as calm lasts. */
function relayOf(random: Seeded, slots: number): readonly Flip[] {
  const flips: Flip[] = [];
  let slot = 0;
  for (let atMs = 0; atMs < FLIPPING_MS; atMs += (7 + random.below(7)) * SECOND) {
    const next = (slot + 1) % slots;
    flips.push({ atMs, slot, to: "Ready" }, { atMs, slot: next, to: "NotReady" });
    slot = next;
  }
  return flips;
}

function failuresOf(random: Seeded, machines: number): readonly Flip[] {
  const flips: Flip[] = [];
  let atMs = random.below(10 * SECOND);
  while (atMs < FLIPPING_MS) {
    const slot = random.below(machines);
    flips.push({ atMs, slot, to: random.below(8) === 0 ? "Gone" : "NotReady" });
    if (random.below(5) > 0) flips.push({ atMs: atMs + (1 + random.below(60)) * SECOND, slot, to: "Ready" });
    atMs += random.below(2) === 0 ? random.below(3 * SECOND) : (5 + random.below(30)) * SECOND;
  }
  return flips;
}
