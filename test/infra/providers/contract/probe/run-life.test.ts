import { expect, it } from "vitest";
import { SimCluster } from "../../../../../infra/playground/api/sim-cluster.ts";
import { SimControlPlane } from "../../../../../infra/playground/api/sim-controlplane.ts";
import { SimMachinePool } from "../../../../../infra/playground/api/sim-machinepool.ts";
import {
  runLabelTrials,
  runScaleTrials,
  runWipeTrial,
} from "../../../../../infra/providers/contract/probe/run-life.ts";
import { look } from "../../../../../infra/providers/contract/probe/scratch.ts";
import { Machine } from "../../../../../shared/api/machine/machine.ts";
import { MachinePool } from "../../../../../shared/api/machinepool.ts";
import { valueAt } from "../../../../../shared/api/path.ts";
import type { ScaleTrial } from "../../../../../shared/contract/rules/probe/subject.ts";
import {
  acting,
  addCluster,
  addPool,
  MACHINE_TEMPLATE,
  REFS,
  stageOn,
  startScratch,
  type TestScratch,
} from "../../../../support/contract/scratch.ts";

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

const KEY = "contract.capstan.dev/probe";

it("labels the template of a control plane that has Machines, and waits until each has the label", async () => {
  await using world = await startScratch();
  const { scratch } = world;
  const spec = { version: "v1.34.2", machineTemplate: MACHINE_TEMPLATE };
  const { metadata } = await world.add(SimControlPlane, "c1", { spec });
  await world.add(SimControlPlane, "without-machines", { spec });
  const controlPlane = { apiVersion: "controlplane.sim.capstan.dev/v1beta2", kind: "SimControlPlane" };
  const ownerReferences = [{ ...controlPlane, name: "c1", uid: metadata.uid ?? "", controller: true }];
  await world.add(Machine, "m1", { metadata: { ownerReferences }, spec: { clusterName: "c1", ...REFS } });
  const labels = `spec.machineTemplate.metadata.labels[${KEY}]`;
  await using _provider = acting(async () => {
    const value = valueAt((await look(scratch)).get("SimControlPlane c1"), labels);
    if (value === undefined) return;
    await world.write(Machine, "m1", [{ op: "add", path: "/metadata/labels", value: { [KEY]: value } }]);
  });
  const trials = await runLabelTrials(stageOn(scratch));
  expect([...trials.keys()]).toEqual(["SimControlPlane c1"]);
  const trial = trials.get("SimControlPlane c1");
  expect(trial?.before.get("Machine m1")?.metadata.labels?.[KEY]).toBeUndefined();
  expect(trial?.after.get("Machine m1")?.metadata.labels?.[KEY]).toBe("yes");
});

async function trialsOf({ scratch }: TestScratch, limitMs?: number): Promise<readonly ScaleTrial[]> {
  const trials: ScaleTrial[] = [];
  const limits = limitMs === undefined ? {} : { limitMs };
  await runScaleTrials(stageOn(scratch, { provisioned: await look(scratch), ...limits }), trials);
  return trials;
}

it("records how a pool follows 2, 3 and 1 replicas", async () => {
  await using world = await startScratch();
  await addPool(world);
  await using _provider = acting(async () => {
    const wanted = valueAt((await look(world.scratch)).get("MachinePool p1"), "spec.replicas") as number;
    const ids = Array.from({ length: wanted }, (_, index) => `sim://${index}`);
    await world.write(SimMachinePool, "p1", [{ op: "add", path: "/spec/providerIDList", value: ids }]);
    const status = [{ op: "add", path: "/status", value: { replicas: wanted } }] as const;
    await world.write(SimMachinePool, "p1", status, "status");
    await world.write(MachinePool, "p1", status, "status");
  });
  const trials = await trialsOf(world);
  expect(trials.map(({ replicas, settled }) => [replicas, settled])).toEqual([
    [2, true],
    [3, true],
    [1, true],
  ]);
  const lists = trials.map(({ after }) => valueAt(after.get("SimMachinePool p1"), "spec.providerIDList"));
  expect(lists).toEqual([["sim://0", "sim://1"], ["sim://0", "sim://1", "sim://2"], ["sim://0"]]);
});

it("does not wait for ever for a pool that does not follow", async () => {
  await using world = await startScratch();
  await addPool(world);
  expect((await trialsOf(world, 500)).map(({ settled }) => settled)).toEqual([false, false, false]);
});
