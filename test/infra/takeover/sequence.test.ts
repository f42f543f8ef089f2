import { describe, expect, it } from "vitest";
import { PARKED_BY, readCore } from "../../../infra/takeover/core.ts";
import { judge } from "../../../infra/takeover/findings.ts";
import { back, start } from "../../../infra/takeover/sequence.ts";
import { type Standing, standingOf } from "../../../infra/takeover/standing.ts";
import { readSurvey } from "../../../infra/takeover/survey.ts";
import { objectKeyOf } from "../../../shared/api/kinds.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import { messageOf } from "../../../shared/function/errors.ts";
import { killedAfter, type PlayedWorld, playedWorld } from "./played-world.ts";

const WAYS = {
  "Cluster by Cluster": { filter: "capi" },
  "with the Lease parked": { parkLease: true },
} as const;
type Way = { readonly filter?: string; readonly parkLease?: boolean };

/** Runs a command as `capstan takeover` does; killed after so many writes. Returns what it has moved. */
async function run(
  world: PlayedWorld,
  command: "start" | "back",
  { filter, parkLease = false, killAfter }: Way & { readonly killAfter?: number },
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
    note: () => undefined,
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

/** Everything is with Cluster API's manager, as before the take-over. */
async function expectReturned(world: PlayedWorld, way: Way): Promise<void> {
  expect(await standings(world, way)).toEqual(new Set(["core"]));
  expect(world.policies.size).toBe(0);
  expect((await world.lease())?.spec?.holderIdentity).not.toBe(PARKED_BY);
}

describe("a take-over", () => {
  for (const [title, way] of Object.entries(WAYS)) {
    it(`D-904: ${title}, killed after any write, continues with start or returns with back`, async () => {
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

    it(`D-902: ${title}, moves 20 Clusters without waiting for the next look at a health check`, async () => {
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

  it("D-902: waits as long as Cluster API's manager pauses one object after the other, and a minute for the next", async () => {
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
