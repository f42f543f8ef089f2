import { describe, expect, it } from "vitest";
import { machinesetStatus } from "../../../../functions/machineset/status.ts";
import { type FleetIndex, startFleetIndex } from "../../../../infra/console/fleet/fleet-index.ts";
import type { FleetSources } from "../../../../infra/console/fleet/fleet-reader.ts";
import type { FleetList } from "../../../../infra/console/fleet/roster.ts";
import { SimControlPlane } from "../../../../infra/playground/api/sim-controlplane.ts";
import { simControlplane } from "../../../../infra/playground/functions/sim/controlplane.ts";
import { createMemoryStore } from "../../../../infra/queue/backends/embedded/store.ts";
import { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import type { Condition } from "../../../../shared/api/conditions.ts";
import { Connection } from "../../../../shared/api/core.ts";
import { apiVersionOf, type Kind, type KubeObject, MANAGEMENT } from "../../../../shared/api/kinds.ts";
import { Machine } from "../../../../shared/api/machine/machine.ts";
import { MachineSet } from "../../../../shared/api/machineset.ts";
import { MINUTE, SECOND } from "../../../../shared/function/backoff.ts";
import type { AnyFunction } from "../../../../shared/function/define-function.ts";
import type { Store } from "../../../../shared/runtime/ports.ts";
import type { Hint, Hints } from "../../../../shared/runtime/queue/hints.ts";
import type { KeyRow } from "../../../../shared/runtime/queue/queue-reader.ts";
import { managementType } from "../../../../shared/runtime/read/management-type.ts";
import { cluster, connection, machineCondition, type Overrides } from "../../../support/builders.ts";
import { virtualClock } from "../../../support/clock.ts";
import { machineSet } from "../../../support/foo-sets.ts";

const CLUSTERS = { cluster: MANAGEMENT, group: Cluster.group, kind: Cluster.kind };
const CONNECTIONS = { cluster: MANAGEMENT, group: Connection.group, kind: Connection.kind };
const AVAILABLE = machineCondition("Available", "True", "Available");
const START = new Date("2026-01-01T12:00:00Z");

let version = 100;
function named(name: string, conditions: readonly Condition[], overrides: Overrides<Cluster> = {}): Cluster {
  return cluster({
    ...overrides,
    metadata: { name, uid: `uid-${name}`, resourceVersion: String(++version), ...overrides.metadata },
    status: { conditions, phase: "Provisioned", ...overrides.status },
  });
}

/** The keys of one function. */
function queueOf(rows: Map<string, KeyRow>) {
  let isAway = false;
  const assertThere = (): void => {
    if (isAway) throw new Error("Redis is away");
  };
  return {
    setAway: (away: boolean) => {
      isAway = away;
    },
    peek: async () => {
      assertThere();
      const dead = [...rows.values()].filter(({ state }) => state === "dead").length;
      const failures = [...rows.values()].reduce((sum, row) => sum + row.failures, 0);
      return { ready: 0, waiting: 0, running: 0, dead, counts: { runs: failures, failures, durations: [] } };
    },
    keys: async (_: string, { state }: { readonly state: string }) => {
      assertThere();
      return { items: [...rows.values()].filter((row) => row.state === state) };
    },
    keyState: async (_: string, key: string) => {
      assertThere();
      return rows.get(key);
    },
    topTenants: async () => {
      assertThere();
      return [{ tenant: "default/a", ready: 2, waiting: 0, running: 0, dead: 0 }];
    },
  };
}

function row(key: string, rest: Partial<KeyRow> = {}): KeyRow {
  const failure = { class: "Transient", reason: "NoAnswer", message: "no" } as const;
  return { key, state: "waiting", causes: [], failures: 5, failure, ...rest };
}

function hintsOf(): Hints & { readonly tell: (...hints: readonly Hint[]) => void } {
  const followers = new Set<(hints: readonly Hint[]) => void>();
  return {
    tell: (...hints) => {
      for (const onHints of followers) onHints(hints);
    },
    follow: (onHints) => {
      followers.add(onHints);
      return { [Symbol.dispose]: () => followers.delete(onHints) };
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

const FUNCTIONS = [
  { spec: { name: "machine-node", reconciles: Machine, watches: [] } },
] as unknown as readonly AnyFunction[];

async function world(...objects: readonly KubeObject[]) {
  const clock = virtualClock(START);
  const store = createMemoryStore();
  for (const object of objects) {
    await store.put(object.kind === "Cluster" ? CLUSTERS : CONNECTIONS, [object]);
  }
  await store.advance(CLUSTERS, { ready: true, resourceVersion: "99" });
  const rows = new Map<string, KeyRow>();
  const [queue, hints] = [queueOf(rows), hintsOf()];
  const start = (rest: Partial<FleetSources> = {}) =>
    startFleetIndex({ store, queue, functions: FUNCTIONS, clock, hints, ...rest });
  return { clock, store, rows, queue, hints, start };
}

const reported = ({ items }: Pick<FleetList, "items">): readonly string[] =>
  items.map(
    ({ namespace, name, state, reason }) => `${namespace}/${name} ${state}${reason ? `: ${reason}` : ""}`,
  );
const all = (fleet: FleetIndex) => fleet.page({ sight: "all", limit: 200 });

async function put(store: Store, object: KubeObject): Promise<Hint> {
  await store.put(CLUSTERS, [object]);
  const { namespace = "", name } = object.metadata;
  return { of: "snapshot", type: CLUSTERS, key: { namespace, name } };
}

describe("the fleet", () => {
  it("is in order, worst first, each with its reason in words", async () => {
    const bad = (type: string, lastTransitionTime: string, message = "no") => ({
      ...machineCondition(type, "False", "No", message),
      lastTransitionTime,
    });
    const { start, rows } = await world(
      named("a-healthy", [AVAILABLE]),
      named("b-silent", []),
      named("c-young", [bad("Available", "2026-01-01T11:55:00Z", "* WorkersAvailable: 0 of 3\n* More")]),
      named("d-waits", [bad("Available", "2026-01-01T09:00:00Z", "no control plane")]),
      named("e-waits-longer", [AVAILABLE, bad("MachinesReady", "2026-01-01T08:00:00Z", "m1 is away")]),
      named("f-paused", [AVAILABLE], { spec: { paused: true } }),
      named("g-going", [AVAILABLE], { metadata: { deletionTimestamp: "2026-01-01T11:30:00Z" } }),
      named("h-away", [AVAILABLE]),
      connection({
        metadata: { name: "h-away" },
        status: {
          state: "unreachable",
          message: "kubeconfig Secret default/h-away-kubeconfig: missing",
          failures: 5,
        },
      }),
      named("i-failing", [AVAILABLE]),
      named("j-dead", [AVAILABLE]),
      named("k-rolls", [AVAILABLE, machineCondition("RollingOut", "True", "RollingOut", "1 of 3")]),
    );
    rows.set("default/i-failing|Machine|default/m1", row("default/i-failing|Machine|default/m1"));
    const dead = "default/j-dead|Machine|default/m2";
    rows.set(dead, row(dead, { state: "dead", failures: 16, since: new Date("2026-01-01T10:00:00Z") }));
    await using fleet = start();
    await fleet.ready();
    expect(reported(all(fleet))).toEqual([
      "default/j-dead dead: machine-node has given up: it failed 16 times: NoAnswer: no",
      "default/i-failing failing: machine-node has failed 5 times: NoAnswer: no",
      "default/h-away unreachable: kubeconfig Secret default/h-away-kubeconfig: missing",
      "default/e-waits-longer waiting: MachinesReady False: m1 is away",
      "default/d-waits waiting: Cluster default/d-waits is not available since 2026-01-01T09:00:00Z: no control plane; look at what it names",
      expect.stringMatching(/^default\/b-silent unknown: its status has no condition Available/),
      "default/k-rolls progressing: RollingOut True: 1 of 3",
      "default/c-young progressing: Available False: * WorkersAvailable: 0 of 3 * More",
      "default/g-going deleting: it is being deleted",
      expect.stringMatching(
        /^default\/f-paused paused: Cluster default\/f-paused is paused by spec\.paused; unpause it/,
      ),
      "default/a-healthy healthy",
    ]);
    expect(all(fleet)).toMatchObject({
      total: 11,
      counts: { dead: 1, failing: 1, unreachable: 1, waiting: 2, progressing: 2, healthy: 1 },
    });
    expect(all(fleet).needs.map(({ name, count }) => [name, count])).toEqual([
      ["j-dead", 1],
      ["i-failing", 1],
      ["h-away", 1],
      ["e-waits-longer", 1],
      ["d-waits", 1],
    ]);
    expect(fleet.cluster({ namespace: "default", name: "j-dead" })).toMatchObject({
      deadLetters: 1,
      since: "2026-01-01T10:00:00.000Z",
      about: { function: "machine-node", key: dead },
    });
  });

  it("names one cause of many Clusters once, with their count, and lists them", async () => {
    const away = (name: string) =>
      connection({
        metadata: { name },
        status: {
          state: "unreachable",
          message: `kubeconfig Secret default/${name}-kubeconfig: missing`,
          failures: 5,
        },
      });
    const names = ["prod", "edge-1", "edge-2"];
    const { start } = await world(
      ...names.flatMap((name) => [named(name, [AVAILABLE]), away(name)]),
      named("well", [AVAILABLE]),
      named("d-waits", [
        { ...machineCondition("Available", "False", "No", "no"), lastTransitionTime: "2026-01-01T09:00:00Z" },
      ]),
    );
    await using fleet = start();
    await fleet.ready();
    const { needs } = all(fleet);
    expect(needs.map(({ state, count }) => [state, count])).toEqual([
      ["unreachable", 3],
      ["waiting", 1],
    ]);
    const [{ namespace, name } = { namespace: "", name: "" }] = needs;
    const like = fleet.page({ sight: "all", limit: 200, like: `${namespace}/${name}` });
    expect(new Set(like.items.map((item) => item.name))).toEqual(new Set(names));
    for (const other of ["default/well", "default/gone"])
      expect(fleet.page({ sight: "all", limit: 200, like: other }).items).toEqual([]);
  });

  it("sorts by what is asked for, page by page, and leaves out other versions and providers", async () => {
    const of = (name: string, kind: string, version: string) =>
      named(name, [AVAILABLE], {
        spec: { infrastructureRef: { apiGroup: "g", kind, name } },
        status: { controlPlane: { versions: [{ version, replicas: 1 }] } },
      });
    const { start } = await world(of("a", "Y", "v1.34.0"), of("b", "X", "v1.33.0"), of("c", "X", "v1.34.0"));
    await using fleet = start();
    await fleet.ready();
    const page = (selection: object) => fleet.page({ sight: "all", limit: 2, ...selection });
    const names = (list: FleetList) => list.items.map(({ name }) => name);
    const first = page({ sort: "provider" });
    expect(names(first)).toEqual(["b", "c"]);
    expect(names(page({ sort: "provider", after: first.next }))).toEqual(["a"]);
    expect(names(page({ sort: "version" }))).toEqual(["b", "a"]);
    expect(names(page({ version: "v1.34.0" }))).toEqual(["a", "c"]);
    expect(names(page({ provider: "X", version: "v1.34.0" }))).toEqual(["c"]);
    expect(names(page({ q: "x" }))).toEqual(["b", "c"]);
  });

  it("takes changes from hints at once, and without them within a minute; waiting comes with time", async () => {
    const { start, store, hints, clock } = await world(named("a", [AVAILABLE]), named("b", [AVAILABLE]));
    await using fleet = start();
    await fleet.ready();
    const changes: (readonly string[])[] = [];
    using _following = fleet.follow((names) => changes.push([...(names ?? [])]));
    const broken = {
      ...machineCondition("Available", "False", "No", "no"),
      lastTransitionTime: START.toISOString(),
    };
    hints.tell(await put(store, named("a", [broken])));
    await clock.advance(SECOND);
    expect(reported(all(fleet))[0]).toBe("default/a progressing: Available False: no");
    expect(changes).toEqual([["default/a"]]);

    await put(store, named("b", [broken]));
    await store.remove(
      CLUSTERS,
      { namespace: "default", name: "a" },
      { uid: "uid-a", resourceVersion: "999999" },
    );
    await clock.advance(MINUTE);
    expect(reported(all(fleet))).toEqual(["default/b progressing: Available False: no"]);
    await clock.advance(11 * MINUTE);
    expect(reported(all(fleet))).toEqual([
      "default/b waiting: Cluster default/b is not available since 2026-01-01T12:00:00.000Z: no; look at what it names",
    ]);
  });

  it("reads the queues when too many keys have moved to be named, and not all Clusters", async () => {
    const { start, store, rows, hints, clock } = await world(
      named("a", [AVAILABLE]),
      named("b", [AVAILABLE]),
    );
    await using fleet = start();
    await fleet.ready();
    await put(store, named("a", []));
    rows.set("default/b|Machine|default/m", row("default/b|Machine|default/m"));
    const keys = Array.from({ length: 1_001 }, (_, at) => `default/b|Machine|default/m${at}`);
    hints.tell({ of: "keys", function: "machine-node", keys });
    await clock.advance(SECOND);
    expect(all(fleet).items.map(({ name, state }) => `${name} ${state}`)).toEqual(["b failing", "a healthy"]);
  });

  it("is healthy for no lack of knowledge, says since when its data are old, and recovers", async () => {
    const { start, queue, clock, store } = await world(named("a", [AVAILABLE]));
    await store.advance(CLUSTERS, { ready: false });
    await using fleet = start();
    await clock.advance(SECOND);
    expect(reported(all(fleet))).toEqual([
      "default/a unknown: Clusters: the relay has not listed all of them yet",
    ]);
    await store.advance(CLUSTERS, { ready: true, resourceVersion: "100" });
    await clock.advance(2 * SECOND);
    expect(reported(all(fleet))).toEqual(["default/a healthy"]);
    queue.setAway(true);
    const since = clock.now();
    await clock.advance(MINUTE);
    const stale = fleet.stale();
    expect(all(fleet).items[0]).toMatchObject({
      state: "unknown",
      reason: expect.stringMatching(/^queue: cannot be read: Redis is away; the last known state is shown/),
    });
    expect(Date.parse(stale[0]?.since ?? "")).toBeLessThanOrEqual(since.getTime() + 5 * SECOND);
    queue.setAway(false);
    await clock.advance(5 * SECOND);
    expect([fleet.stale(), reported(all(fleet))]).toEqual([[], ["default/a healthy"]]);
  });

  it("is unknown while no watch gives a sign of life, notifies its followers, and recovers", async () => {
    const rolls = machineCondition("RollingOut", "True", "RollingOut", "1 of 3");
    const { start, clock, store } = await world(
      named("a", [AVAILABLE]),
      named("b", [AVAILABLE, rolls]),
      named("c", [
        { ...machineCondition("Available", "False", "No", "no"), lastTransitionTime: START.toISOString() },
      ]),
      named("d", [AVAILABLE], { metadata: { deletionTimestamp: START.toISOString() } }),
    );
    const known = [
      "default/b progressing: RollingOut True: 1 of 3",
      "default/c progressing: Available False: no",
      "default/d deleting: it is being deleted",
      "default/a healthy",
    ];
    await store.signs.note([CLUSTERS], clock.now());
    await using fleet = start();
    await clock.advance(SECOND);
    expect(reported(all(fleet))).toEqual(known);
    const seen: unknown[] = [];
    fleet.follow((clusters) => seen.push(clusters));
    await clock.advance(45 * SECOND);
    const reason = expect.stringMatching(/^relay away since 2026-.*; start a relay$/);
    expect(all(fleet).items).toMatchObject(known.map(() => ({ state: "unknown", reason })));
    expect(fleet.stale()).toMatchObject([{ since: expect.any(String), reason }]);
    // Everything that is shown must be read again, also where no Cluster stands otherwise.
    expect(seen).toContain(undefined);
    await store.signs.note([CLUSTERS], clock.now());
    await clock.advance(10 * SECOND);
    expect([fleet.stale(), reported(all(fleet))]).toEqual([[], known]);
  });

  it("says of a Cluster whose keys no worker takes since when they wait, and of no other", async () => {
    const { start, clock } = await world(named("a", [AVAILABLE]), named("b", [AVAILABLE]));
    const message = "no worker serves machine-node since …, 2 keys wait; start one";
    let found = [{ function: "machine-node", late: { since: START.toISOString(), message } }];
    await using fleet = start({ unserved: async () => found });
    await clock.advance(SECOND);
    expect(reported(all(fleet))).toEqual([`default/a waiting: ${message}`, "default/b healthy"]);
    found = [];
    await clock.advance(10 * SECOND);
    expect(reported(all(fleet))).toEqual(["default/a healthy", "default/b healthy"]);
  });

  it("says of a Cluster that keys of its provider's objects wait, whose tenant names none", async () => {
    const { start, clock, store, rows, queue } = await world(
      named("a", [AVAILABLE]),
      named("b", [AVAILABLE]),
    );
    await store.put(managementType(SimControlPlane), [
      {
        apiVersion: apiVersionOf(SimControlPlane),
        kind: SimControlPlane.kind,
        metadata: {
          namespace: "default",
          name: "cp",
          uid: "u",
          resourceVersion: "1",
          labels: { "cluster.x-k8s.io/cluster-name": "b" },
        },
      },
    ]);
    const key = "default/-|SimControlPlane|default/cp";
    rows.set(key, { key, state: "ready", causes: [], failures: 0 });
    queue.topTenants = async () => [{ tenant: "default/-", ready: 1, waiting: 0, running: 0, dead: 0 }];
    const late = { since: START.toISOString(), message: "no worker" };
    const found = [{ function: "sim-controlplane", late }];
    await using fleet = start({ functions: [simControlplane], unserved: async () => found });
    await clock.advance(SECOND);
    expect(reported(all(fleet))).toEqual(["default/b waiting: no worker", "default/a healthy"]);
  });

  it("forgets a trouble that is over, and a viewer sees the namespaces that are theirs only", async () => {
    const other = named("b", [AVAILABLE], { metadata: { namespace: "other" } });
    const { start, rows, hints, clock } = await world(named("a", [AVAILABLE]), other);
    const key = "other/b|Machine|other/m1";
    rows.set(key, row(key));
    await using fleet = start();
    await fleet.ready();
    expect(reported(all(fleet))[0]).toContain("other/b failing");
    const mine = fleet.page({ sight: new Set(["default"]), limit: 10 });
    expect([mine.total, mine.counts.failing, reported(mine)]).toEqual([1, 0, ["default/a healthy"]]);
    rows.delete(key);
    hints.tell({ of: "keys", function: "machine-node", keys: [key] });
    await clock.advance(SECOND);
    expect(reported(all(fleet))).toEqual(["default/a healthy", "other/b healthy"]);
  });

  it("is filtered, and read page by page without a gap while it changes", async () => {
    const many = Array.from({ length: 25 }, (_, at) => named(`c${at + 10}`, [AVAILABLE]));
    const { start, store, hints, clock } = await world(
      ...many,
      named("x1", [], { status: { phase: "Pending" } }),
    );
    await using fleet = start();
    await fleet.ready();
    const page = (after?: string) => fleet.page({ sight: "all", states: ["healthy"], limit: 10, after });
    const first = page();
    hints.tell(await put(store, named("c10", [])));
    await clock.advance(SECOND);
    const second = page(first.next);
    const third = page(second.next);
    const names = [first, second, third].flatMap(({ items }) => items.map(({ name }) => name));
    expect(names).toEqual(many.map(({ metadata }) => metadata.name));
    expect(third.next).toBeUndefined();
    expect(fleet.page({ sight: "all", q: "PENDING x", limit: 10 })).toMatchObject({
      total: 1,
      items: [{ name: "x1" }],
    });
    expect(fleet.page({ sight: "all", namespace: "nowhere", limit: 10 }).total).toBe(0);
    for (const odd of [{ limit: 1e9 }, { limit: 0 }, { limit: 1, after: "x" }])
      expect(() => fleet.page({ sight: "all", ...odd })).toThrow(TypeError);
  });

  it("names at once what waiting does not mend, also a Cluster that does not exist, and a dead key of an object whose tenant names no Cluster", async () => {
    const { store, rows, start } = await world(named("shop", []), named("dead", [AVAILABLE]));
    const put = async (kind: Kind, object: KubeObject) => {
      const type = { cluster: MANAGEMENT, group: kind.group, kind: kind.kind };
      await store.put(type, [object]);
      await store.advance(type, { ready: true, resourceVersion: "99" });
    };
    const set = machineSet({ spec: { clusterName: "shopp" } });
    await put(MachineSet as unknown as Kind, set);
    const labels = { "cluster.x-k8s.io/cluster-name": "dead" };
    const metadata = { name: "cp", namespace: "default", uid: "u", resourceVersion: "1", labels };
    await put(SimControlPlane as unknown as Kind, {
      apiVersion: "controlplane.sim.capstan.dev/v1",
      kind: "SimControlPlane",
      metadata,
    });
    const key = "default/-|SimControlPlane|default/cp";
    rows.set(key, row(key, { state: "dead", since: START }));
    const functions = [simControlplane, machinesetStatus];
    await using fleet = start({ functions });
    await fleet.ready();
    expect(reported(all(fleet))).toEqual([
      expect.stringMatching(/^default\/dead dead: .* has given up: it failed 5 times: NoAnswer: no$/),
      "default/shopp waiting: Cluster default/shopp does not exist, and MachineSet default/s1 names it; correct spec.clusterName (there is shop), or create the Cluster",
      expect.stringMatching(/^default\/shop unknown/),
    ]);
  });

  it("keeps at most 2 KiB of a Cluster, whatever its objects hold", async () => {
    const huge = "x".repeat(1_000_000);
    const odd = { type: huge, status: "False", reason: huge, message: huge, lastTransitionTime: huge };
    const hostile = named("a", [odd as never, 7 as never, null as never], {
      status: { phase: huge as never },
    });
    const { start } = await world(hostile);
    await using fleet = start();
    await fleet.ready();
    const [item] = all(fleet).items;
    expect(JSON.stringify(item).length).toBeLessThan(2_048);
  });
});
