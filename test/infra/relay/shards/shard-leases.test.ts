import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Lease } from "../../../../infra/relay/lease.ts";
import { shardOf } from "../../../../infra/relay/shards/rendezvous.ts";
import { type ShardLeases, startShardLeases } from "../../../../infra/relay/shards/shard-leases.ts";
import { MAX_SHARDS, shardNames } from "../../../../infra/relay/shards/shard-names.ts";
import type { ObjectKey } from "../../../../shared/api/kinds.ts";
import { SECOND } from "../../../../shared/function/backoff.ts";
import { KubeError } from "../../../../shared/function/errors.ts";
import { compareText } from "../../../../shared/rules/conditions/conditions.ts";
import type { Clock, KubeClient } from "../../../../shared/runtime/ports.ts";
import { virtualClock } from "../../../support/clock.ts";
import { silentLog } from "../../../support/silent-log.ts";

const lease = { namespace: "kube-system", name: "shard" };

/** One relay of several: its process can stand still, be cut off from the API server, and have a clock of its own. */
interface Member {
  readonly leases: ShardLeases;
  readonly changes: () => number;
  isAway: boolean;
  /** Of its clock, against that of the others. */
  skewMs: number;
  freeze(): void;
  thaw(): void;
  /** As SIGKILL does. */
  kill(): void;
  readonly isRunning: boolean;
}

/** Leases in memory, with the conflicts of an API server: a call is done within one turn of the event loop. */
interface LeaseServer {
  readonly leases: ReadonlyMap<string, Lease>;
  /** A client of one process; `isAway` is asked before each call. */
  clientFor(isAway: () => boolean): KubeClient;
  /** Writes a Lease as another client does. */
  put(name: string, spec: NonNullable<Lease["spec"]>): void;
  delete(name: string): void;
}

function startLeaseServer(namespace: string): LeaseServer {
  const leases = new Map<string, Lease>();
  let version = 0;
  const put = (name: string, spec: NonNullable<Lease["spec"]>): Lease => {
    version += 1;
    const metadata = { namespace, name, uid: `uid-${name}`, resourceVersion: String(version) };
    const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec };
    leases.set(name, lease);
    return lease;
  };
  const clientFor = (isAway: () => boolean): KubeClient => {
    const check = () => {
      if (isAway()) throw new Error("connection refused");
    };
    const client: Pick<KubeClient, "get" | "list" | "create" | "jsonPatch"> = {
      async get<T>(_kind: unknown, { name }: ObjectKey) {
        check();
        return leases.get(name) as T | undefined;
      },
      async list<T>() {
        check();
        return { items: [...leases.values()] as unknown as readonly T[], resourceVersion: String(version) };
      },
      async create(_kind, object) {
        check();
        const { metadata, spec = {} } = object as unknown as Lease;
        if (leases.has(metadata.name)) throw refused(409, "AlreadyExists");
        return put(metadata.name, spec);
      },
      async jsonPatch(_kind, { name }, operations) {
        check();
        const [test, add] = operations as readonly { readonly value: unknown }[];
        if (leases.get(name)?.metadata.resourceVersion !== test?.value) throw refused(422, "Invalid");
        return put(name, add?.value as NonNullable<Lease["spec"]>);
      },
    };
    return client as KubeClient;
  };
  return { leases, clientFor, put, delete: (name) => void leases.delete(name) };
}

function refused(status: number, reason: string): KubeError {
  return new KubeError({ class: "Conflict", status, reason, message: reason });
}

function world() {
  const clock = virtualClock();
  const server = startLeaseServer(lease.namespace);
  const start = (identity: string, skewMs = 0): Member => {
    let due: (() => void)[] | undefined;
    let isKilled = false;
    let changes = 0;
    const line = { isAway: false, skewMs };
    const own: Clock = {
      now: () => new Date(clock.now().getTime() + line.skewMs),
      after: (delayMs, callback) =>
        clock.after(delayMs, () => {
          if (isKilled) return;
          if (due === undefined) callback();
          else due.push(callback);
        }),
    };
    const client = server.clientFor(() => line.isAway);
    const onChange = () => {
      changes += 1;
    };
    const leases = startShardLeases({ client, lease, identity, clock: own, log: silentLog, onChange });
    const member: Member = {
      leases,
      changes: () => changes,
      get isAway() {
        return line.isAway;
      },
      set isAway(isAway) {
        line.isAway = isAway;
      },
      get skewMs() {
        return line.skewMs;
      },
      set skewMs(skewMs) {
        line.skewMs = skewMs;
      },
      freeze() {
        due ??= [];
      },
      thaw() {
        const late = due ?? [];
        due = undefined;
        for (const callback of late) callback();
      },
      kill() {
        isKilled = true;
      },
      get isRunning() {
        return !isKilled && due === undefined;
      },
    };
    return member;
  };
  return { clock, server, start };
}

const holderOf = (w: ReturnType<typeof world>, name: string) =>
  w.server.leases.get(name)?.spec?.holderIdentity;

describe("the Leases of relays that share the workload clusters", () => {
  it("give each relay a shard, also when all begin at the same moment", async () => {
    const w = world();
    const members = ["a", "b", "c"].map((identity) => w.start(identity));
    await w.clock.advance(3 * SECOND);
    expect(members.map(({ leases }) => leases.shard ?? "").toSorted(compareText)).toEqual([
      "shard-0",
      "shard-1",
      "shard-2",
    ]);
    for (const { leases } of members) {
      expect(leases.shards).toEqual(["shard-0", "shard-1", "shard-2"]);
      expect(leases.isHeld()).toBe(true);
    }
    expect(members.map(({ changes }) => changes() <= 3)).toEqual([true, true, true]);
  });

  it("are free at once when a relay ends, and the next one takes the same shard", async () => {
    const w = world();
    const [a, b] = [w.start("a"), w.start("b")];
    await w.clock.advance(3 * SECOND);
    await a.leases[Symbol.asyncDispose]();
    expect(a.leases.isHeld()).toBe(false);
    await w.clock.advance(2 * SECOND);
    expect(b.leases.shards).toEqual(["shard-1"]);
    const c = w.start("c");
    await w.clock.advance(3 * SECOND);
    expect(c.leases.shard).toBe("shard-0");
    expect(b.leases.shards).toEqual(["shard-0", "shard-1"]);
  });

  it("expire 10 to 14 s after the last renewal of a relay that was killed", async () => {
    const w = world();
    const [a, b] = [w.start("a"), w.start("b")];
    await w.clock.advance(5 * SECOND);
    a.kill();
    await w.clock.advance(8 * SECOND);
    expect(b.leases.shards).toHaveLength(2);
    await w.clock.advance(6 * SECOND);
    expect(b.leases.shards).toEqual(["shard-1"]);
  });

  it("come back to a relay that stood still, which holds none in the meantime", async () => {
    const w = world();
    const [a, b] = [w.start("a"), w.start("b")];
    await w.clock.advance(5 * SECOND);
    a.freeze();
    await w.clock.advance(30 * SECOND);
    expect(a.leases.isHeld()).toBe(false);
    expect(b.leases.shards).toEqual(["shard-1"]);
    a.thaw();
    await w.clock.advance(3 * SECOND);
    expect([a.leases.shard, a.leases.isHeld()]).toEqual(["shard-0", true]);
    // The Leases that it saw before it stood still do not make the others look dead.
    expect(a.leases.shards).toEqual(["shard-0", "shard-1"]);
    expect(b.leases.shards).toEqual(["shard-0", "shard-1"]);
  });

  it("are not held by a relay that is cut off and whose clock is set back, until it has renewed again", async () => {
    const w = world();
    const a = w.start("a");
    await w.clock.advance(5 * SECOND);
    a.isAway = true;
    a.skewMs = -3_600 * SECOND;
    await w.clock.advance(30 * SECOND);
    expect(a.leases.isHeld()).toBe(false);
    a.isAway = false;
    await w.clock.advance(3 * SECOND);
    expect([a.leases.shard, a.leases.isHeld()]).toEqual(["shard-0", true]);
  });

  it("change nothing for anyone while the API server is away, and a relay does not count as held", async () => {
    const w = world();
    const [a, b] = [w.start("a"), w.start("b")];
    await w.clock.advance(5 * SECOND);
    const before = [a.changes(), b.changes()];
    a.isAway = b.isAway = true;
    await w.clock.advance(120 * SECOND);
    expect([a.leases.isHeld(), b.leases.isHeld()]).toEqual([false, false]);
    expect([a.leases.shard, b.leases.shard]).toEqual(["shard-0", "shard-1"]);
    a.isAway = b.isAway = false;
    await w.clock.advance(20 * SECOND);
    expect([a.leases.isHeld(), b.leases.isHeld()]).toEqual([true, true]);
    expect([a.changes(), b.changes()]).toEqual(before);
  });

  it("pass to another relay, and a relay whose Lease was taken holds another one at once", async () => {
    const w = world();
    const a = w.start("a");
    await w.clock.advance(3 * SECOND);
    w.server.put("shard-0", { holderIdentity: "thief", renewTime: "x", leaseDurationSeconds: 10 });
    await w.clock.advance(2 * SECOND);
    expect(a.leases.shard).toBe("shard-1");
    expect(a.leases.shards).toEqual(["shard-0", "shard-1"]);
    await w.clock.advance(14 * SECOND);
    expect(a.leases.shards).toEqual(["shard-1"]);
  });

  it("survive an edit and a deletion by a person", async () => {
    const w = world();
    const a = w.start("a");
    await w.clock.advance(3 * SECOND);
    const changes = a.changes();
    w.server.put("shard-0", { ...w.server.leases.get("shard-0")?.spec, leaseDurationSeconds: 3_600 });
    await w.clock.advance(4 * SECOND);
    w.server.delete("shard-0");
    await w.clock.advance(4 * SECOND);
    expect([a.leases.shard, a.leases.isHeld(), holderOf(w, "shard-0")]).toEqual(["shard-0", true, "a"]);
    expect(a.changes()).toBe(changes);
  });

  it("see other Leases of the namespace as those of others, and take over ones without a spec", async () => {
    const w = world();
    w.server.put("capstan-relay", { holderIdentity: "leader" });
    w.server.put("shard-32", { holderIdentity: "too high" });
    w.server.put("shard-0", {});
    const a = w.start("a");
    await w.clock.advance(3 * SECOND);
    expect([a.leases.shard, a.leases.shards]).toEqual(["shard-0", ["shard-0"]]);
  });

  it("are so many: more relays stand by, and take the first that is free", async () => {
    const w = world();
    const renewer = w.start("renewer");
    await w.clock.advance(3 * SECOND);
    for (const name of shardNames("shard").slice(1)) w.server.put(name, { holderIdentity: `other-${name}` });
    const late = w.start("late");
    await w.clock.advance(3 * SECOND);
    expect([late.leases.shard, late.leases.isHeld()]).toEqual([undefined, false]);
    expect(late.leases.shards).toHaveLength(MAX_SHARDS);
    await w.clock.advance(14 * SECOND);
    expect(late.leases.shard).toBe("shard-1");
    expect(renewer.leases.shards).toEqual(["shard-0", "shard-1"]);
  });

  it("leave Clusters to two relays for at most 7 s, when one returns while another is cut off", async () => {
    const fleet = startFleet();
    await fleet.pass(5);
    // Relays 0, 2 and 3 take the Clusters of relay 1 over, and relay 2 does not see that it takes them back.
    fleet.play(1, "cut off");
    await fleet.pass(9);
    fleet.play(2, "cut off");
    await fleet.pass(1);
    fleet.play(1, "back");
    await fleet.pass(4);
    expect(fleet.withTwo()).toBeGreaterThan(0);
    await fleet.pass(10);
    expect(fleet.withTwo()).toBe(0);
    fleet.end();
  });

  it("leave each Cluster to one relay, to two for at most 7 s, and to none for at most 16 s after the last loss, whatever happens", async () => {
    const step = fc.record({
      member: fc.nat(SKEWS.length - 1),
      what: fc.constantFrom("freeze", "thaw", "cut off", "back", "kill", "start"),
      seconds: fc.integer({ min: 1, max: 25 }),
    });
    const schedules = fc.array(step, { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(schedules, async (steps) => {
        const fleet = startFleet();
        await fleet.pass(5);
        for (const { member, what, seconds } of steps) {
          fleet.play(member, what);
          await fleet.pass(seconds);
        }
        fleet.end();
      }),
      { numRuns: 40 },
    );
  });
});

/** Of the clocks of four relays. */
const SKEWS = [0, -90 * SECOND, 3_600 * SECOND, 7 * SECOND];

const UIDS = Array.from({ length: 30 }, (_, index) => `uid-${index}`);

/** Four relays, whose Clusters are looked at every second. */
function startFleet() {
  const w = world();
  let started = 0;
  const begin = (index: number) => w.start(`relay-${started++}`, SKEWS[index]);
  const members = SKEWS.map((_, index) => begin(index));
  const withNone = new Map<string, number>();
  const withTwo = new Map<string, number>();
  const grow = (seconds: Map<string, number>, uid: string, holds: boolean) => {
    seconds.set(uid, holds ? (seconds.get(uid) ?? 0) + 1 : 0);
    return seconds.get(uid);
  };
  const check = () => {
    const running = members.filter(({ isRunning }) => isRunning);
    // Only a relay that runs and reaches the API server can take over.
    const canTakeOver = running.some(({ isAway }) => !isAway);
    for (const uid of UIDS) {
      const owners = running.filter(
        ({ leases: { shard, shards } }) => shard !== undefined && shardOf(uid, shards) === shard,
      );
      const speakers = owners.filter(({ leases }) => leases.isHeld());
      expect(grow(withNone, uid, owners.length === 0 && canTakeOver)).toBeLessThanOrEqual(16);
      // A relay that is cut off publishes until the others may see its Lease expire; its successor repairs what it has said (loss-looks.ts).
      expect(grow(withTwo, uid, speakers.length > 1)).toBeLessThanOrEqual(7);
    }
  };
  const restart = (index: number, member: Member) => {
    if (member.isRunning) return;
    member.kill();
    members[index] = begin(index);
  };
  return {
    play(index: number, what: string) {
      // A Cluster may pass from one lost relay to the next, and be taken by one relay after the other.
      withNone.clear();
      withTwo.clear();
      const member = members[index] as Member;
      if (what === "freeze") member.freeze();
      else if (what === "thaw") member.thaw();
      else if (what === "kill") member.kill();
      else if (what === "start") restart(index, member);
      else member.isAway = what === "cut off";
    },
    async pass(seconds: number) {
      for (let second = 0; second < seconds; second += 1) {
        await w.clock.advance(SECOND);
        check();
      }
    },
    /** Clusters for which two relays speak now. */
    withTwo: () => [...withTwo.values()].filter((seconds) => seconds > 0).length,
    end() {
      for (const member of members) member.kill();
    },
  };
}
