import { afterAll, beforeAll, expect, it } from "vitest";
import { allMembers } from "../../infra/operate/takeover/families.ts";
import type { ServerClient } from "../../infra/platform/kube/verbs.ts";
import { WATCH_FILTER_LABEL } from "../../shared/api/indexes.ts";
import { blocksIn } from "../support/commands.ts";
import { eventually } from "../support/eventually.ts";
import { describeWith } from "../support/requires.ts";
import { bothMissing, isWrong, startBoth } from "../support/takeover-world.ts";
import { watchTimeLines } from "../support/time-lines.ts";

const CLUSTERS = 3;
/** Between two edits: each makes work for both managers. */
const EDIT_MS = 300;
const WITHIN = { withinMs: 240_000, stepMs: 250 };
type Both = Awaited<ReturnType<typeof startBoth>>;
const missing = bothMissing();

/** The command lines of the guide on one way of taking over, in order. */
async function commandsOf(way: "One after the other" | "All at once"): Promise<readonly string[]> {
  const blocks = await blocksIn("sh", "infra/guides/take-over.md", "Cluster by Cluster, or all at once");
  const [one = "", atOnce = ""] = blocks;
  return (way === "All at once" ? atOnce : one).trim().split("\n");
}

/** Runs a line of the guide, with the Clusters and the queue that are here. */
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

/** How many objects of a Cluster stand where. */
async function standsOf({ takeover }: Both, name: string): Promise<{ readonly [standing: string]: number }> {
  const { code, output } = await takeover("plan", name, "-o", "json");
  expect(code, output).toBe(0);
  return JSON.parse(output).clusters[0].stands;
}

describeWith(missing, { optional: true })("take-over beside Cluster API's manager with a filter", () => {
  const stack = new AsyncDisposableStack();
  let all: Both;
  beforeAll(async () => {
    all = await startBoth(stack, { flags: ["--watch-filter=capi"], label: "capi", clusters: CLUSTERS });
  });
  afterAll(() => stack.disposeAsync());

  it("Clusters change hands as the guide says, and back, under edits and never with two writers", async () => {
    const { client, core, fleet } = all;
    const uids = await fleet.uids();
    const [plan = "", startOne = "", planAgain = "", start = "", back = "", ...more] =
      await commandsOf("One after the other");
    expect(more).toEqual([]);
    await using lines = await watchTimeLines(client);
    expect(await run(all, plan)).toContain("nothing stops it");
    const decided = await all.takeover("plan", fleet.names[0] ?? "", "--decisions");
    expect(decided).toMatchObject({ code: 0, output: expect.stringContaining("Capstan would send first") });
    expect(decided.output).not.toContain("delete");
    {
      await using _edits = fleet.edit(EDIT_MS);
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
      await using _edits = fleet.edit(EDIT_MS);
      expect(await run(all, back)).toContain("Cluster API's manager works on it");
      expect(await labelsOf(client)).toEqual({ capi: CLUSTERS * 6 });
    }
    await fleet.untilEdited();
    expect(lines.overlaps(isWrong)).toEqual([]);
    expect([lines.deleted, await fleet.uids(), core.restarts]).toEqual([[], uids, 0]);
  });

  it("killed in the middle, start continues, and back", async () => {
    const { fleet, kill, takeover } = all;
    const uids = await fleet.uids();
    const [, name = ""] = fleet.names;
    await kill("objects paused", "start", name, "--yes");
    expect(Object.keys(await standsOf(all, name))).not.toEqual(["core"]);
    // After 15 s the turn of the one that was killed is free.
    expect(await takeover("start", name, "--yes")).toMatchObject({ code: 0 });
    expect(await standsOf(all, name)).toEqual({ capstan: 6 });
    await kill("objects paused", "back", name, "--yes");
    expect(Object.keys(await standsOf(all, name))).not.toEqual(["capstan"]);
    expect(await takeover("back", name, "--yes")).toMatchObject({ code: 0 });
    expect(await standsOf(all, name)).toEqual({ core: 6 });
    await fleet.untilEdited();
    expect(await fleet.uids()).toEqual(uids);
  });

  it("of two operators at once one hands over, and the other is refused by name or finds it done", async () => {
    const { client, core, fleet, takeover } = all;
    const uids = await fleet.uids();
    await using lines = await watchTimeLines(client);
    /** Returns the labels of all objects afterwards. */
    const atOnce = async (...ways: readonly string[]) => {
      const ended = await Promise.all(ways.map((way) => takeover(way, "--yes")));
      const refused = ended.filter(({ code }) => code !== 0);
      expect(refused.length, ended.map(({ output }) => output).join("\n---\n")).toBeLessThan(2);
      for (const { output } of refused)
        expect(output).toMatch(/\S+ is handing over now \(Lease \S+\/capstan-takeover\)/);
      return labelsOf(client);
    };
    expect(await atOnce("start", "start")).toEqual({ capstan: CLUSTERS * 6 });
    expect(await atOnce("back", "back")).toEqual({ capi: CLUSTERS * 6 });
    // Against each other: the last turn counts, and for all of it.
    expect(Object.values(await atOnce("start", "back"))).toEqual([CLUSTERS * 6]);
    expect(await atOnce("back")).toEqual({ capi: CLUSTERS * 6 });
    expect(lines.overlaps(isWrong)).toEqual([]);
    expect([lines.deleted, await fleet.uids(), core.restarts]).toEqual([[], uids, 0]);
  });

  it("a second controller of an object of Capstan makes it leave the object alone, and says so", async () => {
    const { fleet, kubectl, letters, takeover } = all;
    const [name = ""] = fleet.names;
    const cluster = name.split("/")[1] ?? "";
    expect((await takeover("start", name, "--yes")).code).toBe(0);
    const read = (path: string) => kubectl(`get machinepool ${cluster}-pool -o jsonpath={${path}}`);
    const ids = await read(".spec.providerIDList");
    // The first one takes what no controller holds since the hand-over.
    for (let times = 0; times < 4; times += 1) {
      await eventually(async () => expect(await read(".spec.providerIDList")).toBe(ids), WITHIN);
      const change = JSON.stringify({ spec: { providerIDList: [`rival://${times}`] } });
      await kubectl(`patch machinepool ${cluster}-pool --field-manager=rival --type=merge -p '${change}'`);
    }
    await eventually(async () => {
      expect(await kubectl("get events --field-selector reason=ForeignController")).toContain("rival");
      expect(await read(`.status.conditions[?(@.type=="Paused")].reason`)).toBe("ForeignController");
    }, WITHIN);
    expect(await read(".spec.providerIDList"), "it is left alone").toBe('["rival://3"]');
    expect(await letters()).toEqual([]);
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

    it("parks the Lease, takes all over as the guide says, and gives all back", async () => {
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
        await using _edits = fleet.edit(EDIT_MS);
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
        await using _edits = fleet.edit(EDIT_MS);
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

describeWith(missing, { optional: true })("Cluster API's manager", () => {
  it("is retired whether its migrator has run or not, and comes back", async () => {
    await using stack = new AsyncDisposableStack();
    const flags = [
      "--watch-filter=capi",
      "--skip-crd-migration-phases=StorageVersionMigration,CleanupManagedFields",
    ];
    const { fleet, kubectl, takeover } = await startBoth(stack, { flags, label: "capi", clusters: 1 });
    const [name = ""] = fleet.names;
    const cluster = name.split("/")[1] ?? "";
    const crd = "crd/machinesets.cluster.x-k8s.io";
    const read = (what: string, path: string) => kubectl(`get ${what} -o jsonpath={${path}}`);
    const webhooks = async () =>
      (await kubectl("get mutatingwebhookconfigurations,validatingwebhookconfigurations -o name")).match(
        /capi-\w+-webhook-configuration/g,
      );
    // Some objects lie in the older version, and a user has written in it.
    const storeIn = (version: string) => {
      const changes = ["v1beta1", "v1beta2"].map((each, at) => ({
        op: "replace",
        path: `/spec/versions/${at}/storage`,
        value: each === version,
      }));
      return kubectl(`patch ${crd} --type=json -p '${JSON.stringify(changes)}'`);
    };
    expect(await read(crd, ".spec.versions[*].name")).toBe("v1beta1 v1beta2");
    await storeIn("v1beta1");
    await eventually(async () => {
      await kubectl(`label machineset.v1beta1.cluster.x-k8s.io/${cluster} stored=${Date.now()} --overwrite`);
      expect(await read(crd, ".status.storedVersions")).toBe('["v1beta2","v1beta1"]');
    }, WITHIN);
    await storeIn("v1beta2");
    const refused = await takeover("retire", "--yes");
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining(`takeover start ${name}`)]);

    const started = await takeover("start", "--yes");
    expect(started.code, started.output).toBe(0);
    expect(await takeover("retire")).toMatchObject({
      code: 0,
      output: expect.stringContaining("Nothing was written"),
    });
    const retired = await takeover("retire", "--yes");
    expect(retired.code, retired.output).toBe(0);
    expect(await webhooks()).toBeNull();
    expect(await read(crd, ".status.storedVersions")).toBe('["v1beta2"]');
    expect(await read(crd, ".spec.conversion.strategy")).toBe("None");
    const managed = await kubectl(
      `get machineset ${cluster} -o jsonpath={.metadata.managedFields[*].apiVersion} --show-managed-fields`,
    );
    expect(new Set(managed.split(" "))).toEqual(new Set(["cluster.x-k8s.io/v1beta2"]));
    await kubectl(`scale machineset ${cluster} --replicas=3`);
    const machines = `machines --selector=bench.capstan.dev/set=${cluster}`;
    await eventually(
      async () => expect(await read(machines, ".items[*].status.phase")).toBe("Running Running Running"),
      WITHIN,
    );

    const stopped = await takeover("back", "--yes");
    expect([stopped.code, stopped.output]).toEqual([1, expect.stringContaining("retire --undo")]);
    // No kubelet runs it here: the process continues, without an object of its own.
    const running = JSON.stringify({ status: { readyReplicas: 1, replicas: 1 } });
    await kubectl(
      `patch deployment capi-controller-manager --namespace capi-system --subresource=status --type=merge -p '${running}'`,
    );
    expect((await takeover("retire", "--undo", "--yes")).code).toBe(0);
    expect([(await webhooks())?.length, await read(crd, ".spec.conversion.strategy")]).toEqual([
      2,
      "Webhook",
    ]);
    const back = await takeover("back", "--yes");
    expect([back.code, back.output]).toEqual([0, expect.stringContaining("works on it")]);
  });
});
