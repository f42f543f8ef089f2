import { expect, it } from "vitest";
import { SimControlPlane } from "../../../../../infra/playground/api/sim-controlplane.ts";
import { runLabelTrials } from "../../../../../infra/providers/contract/probe/label-trials.ts";
import { look } from "../../../../../infra/providers/contract/probe/scratch.ts";
import { Machine } from "../../../../../shared/api/machine/machine.ts";
import { valueAt } from "../../../../../shared/api/path.ts";
import {
  acting,
  MACHINE_TEMPLATE,
  REFS,
  stageOn,
  startScratch,
} from "../../../../support/contract/scratch.ts";

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
