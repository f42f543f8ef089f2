import { expect, it } from "vitest";
import { SimCluster } from "../../../../../infra/playground/api/sim-cluster.ts";
import { runWipeTrial } from "../../../../../infra/providers/contract/probe/run-life.ts";
import { look } from "../../../../../infra/providers/contract/probe/scratch.ts";
import { valueAt } from "../../../../../shared/api/path.ts";
import { acting, addCluster, stageOn, startScratch } from "../../../../support/contract/scratch.ts";

const TITLE = "SimCluster c1";
const READY = { ready: true, initialization: { provisioned: true } };

it.each([
  ["a status that comes back", true],
  ["one that does not", false],
])("empties every status while the Cluster is paused, and records %s", async (_, comesBack) => {
  await using world = await startScratch();
  const { scratch } = world;
  await addCluster(world, {}, READY);
  const emptied: unknown[] = [];
  await using _provider = acting(async () => {
    const snapshot = await look(scratch);
    const infra = snapshot.get(TITLE);
    if (valueAt(infra, "status.ready") === true) return;
    emptied.push(valueAt(infra, "status"));
    if (!comesBack || valueAt(snapshot.get("Cluster c1"), "spec.paused") === true) return;
    await world.write(SimCluster, "c1", [{ op: "add", path: "/status", value: READY }], "status");
  });
  const stage = stageOn(scratch, { provisioned: await look(scratch), limitMs: comesBack ? 60_000 : 1_000 });
  const { before, after, nodesBefore } = await runWipeTrial(stage);
  expect(valueAt(before.get(TITLE), "status")).toEqual(READY);
  expect(valueAt(after.get(TITLE), "status.ready")).toBe(comesBack ? true : undefined);
  expect(emptied.length).toBeGreaterThan(0);
  expect(nodesBefore).toBeUndefined();
  expect(valueAt((await look(scratch)).get("Cluster c1"), "spec.paused")).not.toBe(true);
});
