import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { systemClock } from "../../infra/clock.ts";
import type { ServerClient } from "../../infra/kube/verbs.ts";
import { allMembers, membersOf } from "../../infra/takeover/families.ts";
import { filtersOf, judge } from "../../infra/takeover/findings.ts";
import { back, type Sequence, start } from "../../infra/takeover/sequence.ts";
import { saysNotPaused, standingOf } from "../../infra/takeover/standing.ts";
import { readSurvey } from "../../infra/takeover/survey.ts";
import { WATCH_FILTER_LABEL } from "../../shared/api/indexes.ts";
import { eventually } from "../support/eventually.ts";
import { describeWith } from "../support/requires.ts";
import { bothMissing, isWrong, startBoth } from "../support/takeover-world.ts";
import { watchTimeLines } from "../support/time-lines.ts";

const CLUSTERS = 4;
const FILTERS = { core: "capi", capstan: "capstan" };
const WITHIN = { withinMs: 240_000, stepMs: 250 };
type Both = Awaited<ReturnType<typeof startBoth>>;
const missing = bothMissing();

/** The command lines of README on the way of taking over that begins with this text, in order. */
async function commandsOf(way: string): Promise<readonly string[]> {
  const text = await readFile(new URL("../../README.md", import.meta.url), "utf8");
  const [, section = ""] = /^### Take Clusters over$(.*?)^###? /ms.exec(text) ?? [];
  const [, block = ""] = /```sh\n([\s\S]*?)```/.exec(section.slice(section.indexOf(`**${way}.**`))) ?? [];
  return block.split("\n").filter((line) => line.trim() !== "");
}

/** Runs a line of README, with the Clusters and the queue that are here. */
async function run({ kubectl, takeover, fleet }: Both, line: string): Promise<string> {
  if (line.startsWith("kubectl ")) return kubectl(line.slice("kubectl ".length));
  const own = line.replace(/ --queue \S+/, "").replace("default/demo", fleet.names[0] ?? "");
  const { code, output } = await takeover(...own.replace("npm run capstan -- takeover ", "").split(" "));
  expect(code, `${line}: ${output}`).toBe(0);
  return output;
}

/** How many objects have each value of the label. */
async function labelsOf(client: ServerClient): Promise<{ readonly [label: string]: number }> {
  const labels = (await allMembers(client)).map(({ object }) => object.metadata.labels?.[WATCH_FILTER_LABEL]);
  const groups = Map.groupBy(labels, (label) => label ?? "");
  return Object.fromEntries([...groups].map(([label, of]) => [label, of.length]));
}

/** A client that sends so many patches, and then fails as if its process had been killed. */
function stopAfter(client: ServerClient, patches: number): ServerClient {
  let left = patches;
  return {
    ...client,
    async jsonPatch(...patch) {
      left -= 1;
      if (left < 0) throw new Error("stopped");
      return client.jsonPatch(...patch);
    },
  };
}

/** The hand-over of one Cluster, by a client that may stop. */
async function sequenceOf({ client, probe }: Both, name: string, by: ServerClient): Promise<Sequence> {
  const core = { namespace: "capi-system", name: "capi-controller-manager" };
  const scope = { clusters: [name], parkLease: false, core, filter: "capstan" };
  const survey = await readSurvey(client, scope);
  expect(judge(survey, scope).filter(({ verdict }) => verdict === "fail")).toEqual([]);
  if (survey.core === undefined) throw new Error("Cluster API's manager has no Deployment");
  const turn = { check: () => undefined };
  const [namespace = "", cluster = ""] = name.split("/");
  return {
    core: survey.core,
    clusters: [{ namespace, name: cluster }],
    parkLease: false,
    hands: { client: by, probe, clock: systemClock, filters: filtersOf(survey, scope), turn },
    note: () => undefined,
    untilIdle: async () => undefined,
  };
}

/** Stops `start` after so many patches, continues it or not, stops `back`, and returns. */
async function stopAndResume(all: Both, name: string, patches: number): Promise<void> {
  const { client, takeover } = all;
  const [namespace = "", cluster = ""] = name.split("/");
  const members = () => membersOf(client, { namespace, name: cluster });
  const stopping = await sequenceOf(all, name, stopAfter(client, patches));
  await expect(start(stopping)).rejects.toThrow("stopped");
  const planned = await takeover("plan", name, "-o", "json");
  expect(planned.code, planned.output).toBe(0);
  if (patches > 0) expect(planned.output).toMatch(/"leaving-core": \d/);
  if (patches % 2 === 0) {
    await start(await sequenceOf(all, name, client));
    for (const { object } of await members()) expect(saysNotPaused(object)).toBe(true);
  }
  const stopped = back(await sequenceOf(all, name, stopAfter(client, patches % 4)));
  await stopped.catch((error: Error) => expect(error.message).toBe("stopped"));
  await back(await sequenceOf(all, name, client));
  const standings = (await members()).map(({ object }) => standingOf(object, FILTERS));
  expect(new Set(standings)).toEqual(new Set(["core"]));
}

describeWith(missing, { optional: true })("take-over beside Cluster API's manager with a filter", () => {
  const stack = new AsyncDisposableStack();
  let all: Both;
  beforeAll(async () => {
    all = await startBoth(stack, { flags: ["--watch-filter=capi"], label: "capi", clusters: CLUSTERS });
  });
  afterAll(() => stack.disposeAsync());

  it("D-902: Clusters change hands as README says, and back, under edits and never with two writers", async () => {
    const { client, core, fleet } = all;
    const uids = await fleet.uids();
    const [plan = "", startOne = "", planAgain = "", start = "", back = "", ...more] =
      await commandsOf("One after the other");
    expect(more).toEqual([]);
    await using lines = await watchTimeLines(client);
    expect(await run(all, plan)).toContain("nothing stops it");
    {
      await using _edits = fleet.edit();
      expect(await run(all, startOne)).toMatch(
        /6 objects paused\n.*6 objects given to Capstan\n.*Capstan works on it/,
      );
      expect(await run(all, planAgain)).toMatch(
        /default\/fleet-0 +Capstan .*\n.*default\/fleet-1 +Cluster API /,
      );
      expect(await run(all, start)).toContain("Capstan works on it");
      expect(await labelsOf(client)).toEqual({ capstan: CLUSTERS * 6 });
    }
    await fleet.untilEdited();
    expect(lines.overlaps(isWrong)).toEqual([]);
    {
      await using _edits = fleet.edit();
      expect(await run(all, back)).toContain("Cluster API's manager works on it");
      expect(await labelsOf(client)).toEqual({ capi: CLUSTERS * 6 });
    }
    await fleet.untilEdited();
    expect(lines.overlaps(isWrong)).toEqual([]);
    expect([lines.deleted, await fleet.uids(), core.restarts]).toEqual([[], uids, 0]);
  });

  it("D-902: stopped after any of its writes, it continues with start or returns with back", async () => {
    const { fleet } = all;
    const uids = await fleet.uids();
    const [name = ""] = fleet.names;
    // Six pauses and six hand-overs.
    for (const patches of [0, 1, 6, 9]) await stopAndResume(all, name, patches);
    await fleet.untilEdited();
    expect(await fleet.uids()).toEqual(uids);
  });

  it("D-905: a second controller of an object of Capstan makes it leave the object alone, and says so", async () => {
    const { fleet, kubectl, takeover } = all;
    const [name = ""] = fleet.names;
    const cluster = name.split("/")[1] ?? "";
    expect((await takeover("start", name, "--yes")).code).toBe(0);
    const phase = () => kubectl(`get cluster ${cluster} -o jsonpath={.status.phase}`);
    const fight = `patch cluster ${cluster} --subresource=status --field-manager=rival --type=merge`;
    for (let times = 0; times < 3; times += 1) {
      await eventually(async () => expect(await phase()).toBe("Provisioned"), WITHIN);
      await kubectl(`${fight} -p '{"status":{"phase":"Failed"}}'`);
    }
    await eventually(async () => {
      expect(await kubectl("get events --field-selector reason=ForeignController")).toContain("rival");
    }, WITHIN);
    const back = await takeover("back", name, "--yes");
    expect([back.code, back.output]).toEqual([0, expect.stringContaining("works on it")]);
  });
});

describeWith(missing, { optional: true })(
  "take-over of all Clusters by the Lease of Cluster API's manager",
  () => {
    const stack = new AsyncDisposableStack();
    let all: Both;
    beforeAll(async () => {
      all = await startBoth(stack, { flags: ["--leader-elect"], clusters: CLUSTERS });
    });
    afterAll(() => stack.disposeAsync());

    it("D-903: parks the Lease, takes all over as README says, and gives all back", async () => {
      const { client, core, fleet, takeover } = all;
      const uids = await fleet.uids();
      const unfiltered = await takeover("start", "--yes");
      expect([unfiltered.code, unfiltered.output]).toEqual([
        1,
        expect.stringContaining("has no --watch-filter"),
      ]);
      const [scale = "", plan = "", start = "", planAgain = "", back = "", ...more] =
        await commandsOf("All at once");
      expect(more).toEqual([]);
      await run(all, scale);
      await using lines = await watchTimeLines(client);
      expect(await run(all, plan)).toMatch(/nothing stops it\n.* leads, renewed /);
      {
        await using _edits = fleet.edit();
        expect(await run(all, start)).toMatch(
          /Lease \S+ parked.*\n.*nothing for 30 s\n(.*\n)*.*Capstan works on all of them/,
        );
        expect(await labelsOf(client)).toEqual({ capstan: CLUSTERS * 6 });
      }
      await fleet.untilEdited();
      expect(core.restarts).toBe(1);
      expect(await run(all, planAgain)).toContain("parked by a take-over");
      expect((await takeover("back", "default/fleet-0")).output).toContain("leave out their names");
      {
        await using _edits = fleet.edit();
        expect(await run(all, back)).toMatch(
          /Lease \S+ is free.*\n(.*\n)*.*Cluster API's manager works on all of them/,
        );
        expect(await labelsOf(client)).toEqual({ "": CLUSTERS * 6 });
      }
      await fleet.untilEdited();
      expect(lines.overlaps(isWrong)).toEqual([]);
      expect([lines.deleted, await fleet.uids(), core.restarts]).toEqual([[], uids, 1]);
    });
  },
);
