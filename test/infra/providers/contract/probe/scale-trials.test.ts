import { expect, it } from "vitest";
import { SimMachinePool } from "../../../../../infra/playground/api/sim-machinepool.ts";
import { runScaleTrials } from "../../../../../infra/providers/contract/probe/scale-trials.ts";
import { look } from "../../../../../infra/providers/contract/probe/scratch.ts";
import { MachinePool } from "../../../../../shared/api/machinepool.ts";
import { valueAt } from "../../../../../shared/api/path.ts";
import type { ScaleTrial } from "../../../../../shared/contract/rules/probe/subject.ts";
import {
  acting,
  addPool,
  stageOn,
  startScratch,
  type TestScratch,
} from "../../../../support/contract/scratch.ts";

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
