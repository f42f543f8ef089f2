import { expect, it } from "vitest";
import { SimMachineTemplate } from "../../../../../infra/playground/api/sim-machine.ts";
import { look } from "../../../../../infra/providers/contract/probe/scratch.ts";
import { runTemplateTrials } from "../../../../../infra/providers/contract/probe/template-trials.ts";
import { templatesIn } from "../../../../../infra/providers/contract/probe/views.ts";
import { startScratch } from "../../../../support/contract/scratch.ts";

it("changes a value of each template in a dry run, and leaves one without values out", async () => {
  await using world = await startScratch();
  const { scratch } = world;
  await world.add(SimMachineTemplate, "t1", { spec: { template: { spec: { bootDelaySeconds: 3 } } } });
  await world.add(SimMachineTemplate, "empty", { spec: { template: { spec: {} } } });
  const before = await look(scratch);
  const trials = await runTemplateTrials(scratch, templatesIn(scratch.roleOf, before), undefined);
  expect(trials.get("SimMachineTemplate t1")).toEqual({
    path: "spec.template.spec.bootDelaySeconds",
    dryRun: undefined,
    withoutAnnotation: undefined,
    isOpen: false,
  });
  expect((await look(scratch)).get("SimMachineTemplate t1")).toEqual(before.get("SimMachineTemplate t1"));
});

it("takes the field of --mutate first, and not one that the schema does not have", async () => {
  await using world = await startScratch();
  const { scratch } = world;
  await world.add(SimMachineTemplate, "t1", { spec: { template: { spec: { bootDelaySeconds: 3 } } } });
  const templates = templatesIn(scratch.roleOf, await look(scratch));
  const pathOf = async (path: string) => {
    const trials = await runTemplateTrials(scratch, templates, { path, value: 7 });
    return trials.get("SimMachineTemplate t1")?.path;
  };
  expect(await pathOf("spec.nodeDelaySeconds")).toBe("spec.template.spec.nodeDelaySeconds");
  expect(await pathOf("spec.size")).toBe("spec.template.spec.bootDelaySeconds");
});
