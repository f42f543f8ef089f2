import { describe, expect, it } from "vitest";
import { PARKED_BY, readCore } from "../../../../infra/operate/takeover/core.ts";
import { judge } from "../../../../infra/operate/takeover/findings.ts";
import { back, start } from "../../../../infra/operate/takeover/sequence.ts";
import { type Standing, standingOf } from "../../../../infra/operate/takeover/standing.ts";
import { readSurvey } from "../../../../infra/operate/takeover/survey.ts";
import { SimControlPlane } from "../../../../infra/playground/api/sim-controlplane.ts";
import { WATCH_FILTER_LABEL } from "../../../../shared/api/indexes.ts";
import { apiVersionOf, type Kind, type KubeObject, objectKeyOf } from "../../../../shared/api/kinds.ts";
import { Machine } from "../../../../shared/api/machine/machine.ts";
import { valueAt } from "../../../../shared/api/path.ts";
import { SECOND } from "../../../../shared/function/backoff.ts";
import { messageOf } from "../../../../shared/function/errors.ts";
import { killedAfter, type PlayedWorld, playedWorld } from "./played-world.ts";

const WAYS = {
  "Cluster by Cluster": { filter: "capi" },
  "with the Lease parked": { parkLease: true },
} as const;
type Way = { readonly filter?: string; readonly parkLease?: boolean };

interface RunOptions {
  readonly killAfter?: number;
  readonly note?: Parameters<typeof start>[0]["note"];
}

/** Runs a command as `capstan takeover` does; killed after so many writes. Returns what it has moved. */
async function run(
  world: PlayedWorld,
  command: "start" | "back",
  { filter, parkLease = false, killAfter, note = () => undefined }: Way & RunOptions,
) {
  const { client, probe, clock } = world;
  const core = await readCore(client, world.core);
  if (core === undefined) throw new Error("Cluster API's manager has no Deployment");
  const clusters = (await world.members()).filter(({ kind }) => kind.kind === "Cluster");
  return (command === "start" ? start : back)({
    core,
    clusters: clusters.map(({ object }) => objectKeyOf(object)),
    // How it started says how it returns.
    parkLease: command === "start" ? parkLease : core.lease?.parked === true,
    hands: {
      client: killAfter === undefined ? client : killedAfter(client, killAfter),
      probe,
      clock,
      filters: { core: filter, capstan: "capstan" },
      turn: { check: () => undefined },
    },
    note,
    untilIdle: async () => undefined,
  });
}

/** Findings of `capstan takeover plan` that stop it. */
async function stoppedBy({ client, core }: PlayedWorld, { parkLease = false }: Way) {
  const scope = { clusters: [], parkLease, core, filter: "capstan" };
  const findings = judge(await readSurvey(client, scope), scope);
  return findings.filter(({ verdict }) => verdict === "fail");
}

/** Whether the command was killed before its end. */
async function isKilled(world: PlayedWorld, command: "start" | "back", way: Way & { killAfter: number }) {
  try {
    await run(world, command, way);
    return false;
  } catch (error) {
    expect(messageOf(error)).toBe("killed");
    return true;
  }
}

async function standings(world: PlayedWorld, { filter }: Way): Promise<ReadonlySet<Standing>> {
  const filters = { core: filter, capstan: "capstan" };
  return new Set((await world.members()).map(({ object }) => standingOf(object, filters)));
}

async function uids({ members }: PlayedWorld) {
  return (await members()).map(({ object }) => object.metadata.uid).toSorted();
}

function controlPlane(labels: { readonly [key: string]: string }): KubeObject {
  const ref = (group: string, kind: string) => ({ apiGroup: `${group}.sim.capstan.dev`, kind, name: "cp" });
  return {
    apiVersion: apiVersionOf(SimControlPlane as Kind),
    kind: SimControlPlane.kind,
    metadata: { name: "cp", namespace: "default" },
    spec: {
      machineTemplate: {
        ...(Object.keys(labels).length === 0 ? {} : { metadata: { labels } }),
        spec: {
          infrastructureRef: ref("infrastructure", "SimMachineTemplate"),
          bootstrap: { configRef: ref("bootstrap", "SimBootstrapConfigTemplate") },
        },
      },
    },
  } as unknown as KubeObject;
}

/** Everything is with Cluster API's manager, as before the take-over. */
async function expectReturned(world: PlayedWorld, way: Way): Promise<void> {
  expect(await standings(world, way)).toEqual(new Set(["core"]));
  expect(world.policies.size).toBe(0);
  expect((await world.lease())?.spec?.holderIdentity).not.toBe(PARKED_BY);
}

describe("a take-over", () => {
  for (const [title, way] of Object.entries(WAYS)) {
    it(`${title}, killed after any write, continues with start or returns with back`, async () => {
      await using world = await playedWorld({ clusters: 1, ...way });
      const before = await uids(world);
      let [killAfter, isLast] = [0, false];
      for (; !isLast; killAfter += 1) {
        const kill = { ...way, killAfter };
        const startKilled = await isKilled(world, "start", kill);
        expect(await stoppedBy(world, way)).toEqual([]);
        await run(world, "start", way);
        expect(await standings(world, way)).toEqual(new Set(["capstan"]));
        const backKilled = await isKilled(world, "back", kill);
        await run(world, "back", way);
        await expectReturned(world, way);

        await isKilled(world, "start", kill);
        await run(world, "back", way);
        await expectReturned(world, way);
        isLast = !startKilled && !backKilled;
      }
      // Policies, pauses and hand-overs of three objects.
      expect(killAfter).toBeGreaterThan(2 + 3 + 3);
      expect(await uids(world)).toEqual(before);
    });

    it(`${title}, moves 20 Clusters without waiting for the next look at a health check`, async () => {
      await using world = await playedWorld({ clusters: 20, ...way });
      const before = await uids(world);
      const there = await run(world, "start", way);
      expect(there.map(({ objects }) => objects)).toEqual(Array.from({ length: 20 }, () => 3));
      const quietMs = title === "Cluster by Cluster" ? 0 : 32 * SECOND;
      for (const { pausedMs } of there) expect(pausedMs - quietMs).toBeLessThan(5 * SECOND);
      const returned = await run(world, "back", way);
      for (const { pausedMs } of returned) expect(pausedMs).toBeLessThan(5 * SECOND);
      await expectReturned(world, way);
      expect(await uids(world)).toEqual(before);
    });
  }

  it.each(Object.entries(WAYS))(
    "%s, the labels that a control plane gives its Machines change hands, and what it has made meanwhile",
    async (_title, way: Way) => {
      await using world = await playedWorld({ clusters: 1, ...way });
      const { client } = world;
      const key = { namespace: "default", name: "cp" };
      const labels = way.filter === undefined ? {} : { [WATCH_FILTER_LABEL]: way.filter };
      const owner = await client.create(SimControlPlane as Kind, controlPlane(labels));
      const labelOfMachines = async () =>
        valueAt(
          (await client.get(SimControlPlane as Kind, key)) as KubeObject,
          `spec.machineTemplate.metadata.labels[${WATCH_FILTER_LABEL}]`,
        );
      const [machine] = (await world.members()).filter(({ kind }) => kind.kind === "Machine");
      let made = 0;
      /** Its controller has read the template before it changed. */
      const makeOne = async (label: string | undefined): Promise<void> => {
        made += 1;
        const [name, namespace] = [`made-${made}`, "default"];
        const { apiVersion, kind } = owner;
        const { uid = "" } = owner.metadata;
        const ownerReferences = [{ apiVersion, kind, name: "cp", uid, controller: true }];
        const { [WATCH_FILTER_LABEL]: _, ...labels } = machine?.object.metadata.labels ?? {};
        const own = label === undefined ? labels : { ...labels, [WATCH_FILTER_LABEL]: label };
        const metadata = { name, namespace, labels: own, ownerReferences };
        await client.create(Machine as Kind, { ...machine?.object, metadata } as KubeObject);
      };
      await makeOne(way.filter);
      const making: Promise<void>[] = [];
      const note = (label: string | undefined) => ({
        note: ({ did }: { readonly did: string }) => {
          if (did.includes(" given to ")) making.push(makeOne(label));
        },
      });
      await run(world, "start", { ...way, ...note(way.filter) });
      await Promise.all(making);
      expect([await labelOfMachines(), await standings(world, way)]).toEqual([
        "capstan",
        new Set(["capstan"]),
      ]);
      await run(world, "back", { ...way, ...note("capstan") });
      await Promise.all(making);
      expect(await labelOfMachines()).toBe(way.filter);
      await expectReturned(world, way);
      expect(made).toBe(3);
    },
  );

  it("waits as long as Cluster API's manager pauses one object after the other, and a minute for the next", async () => {
    {
      await using slow = await playedWorld({ clusters: 1, coreTakesMs: 31 * SECOND });
      await run(slow, "start", { parkLease: true });
      expect(await standings(slow, {})).toEqual(new Set(["capstan"]));
    }
    await using stuck = await playedWorld({ clusters: 1, coreTakesMs: 70 * SECOND });
    await expect(run(stuck, "start", { parkLease: true })).rejects.toThrow(
      /^Cluster API's manager has not paused Machine default\/c0, Cluster default\/c0 for 60 s/,
    );
    expect(await standings(stuck, {})).toEqual(new Set(["leaving-core"]));
    expect((await stuck.lease())?.spec?.holderIdentity).not.toBe(PARKED_BY);
  });
});
