import { expect, it } from "vitest";
import { MachineDeployment } from "../../../../shared/api/machinedeployment.ts";
import { MachineSet } from "../../../../shared/api/machineset.ts";
import { controllerAdoption } from "../../../../shared/rules/metadata/controller-adoption.ts";
import { controllerReference } from "../../../../shared/rules/metadata/owner-references.ts";
import { machineDeployment } from "../../../support/foo-deployments.ts";
import { machineSet } from "../../../support/foo-sets.ts";

it("makes an owner the controller, and says how that went", () => {
  const controller = controllerReference(MachineDeployment, machineDeployment());
  const set = machineSet({ metadata: { ownerReferences: undefined } });
  expect(controllerAdoption(MachineSet, set, controller)).toMatchObject({
    target: { name: "s1", uid: "uid-s1", resourceVersion: set.metadata.resourceVersion },
    operations: [{ op: "add", path: "/metadata/ownerReferences", value: [controller] }],
    ifFails: { event: "FailedAdopt", againAfterMs: 15_000, says: 'Failed to adopt MachineSet "s1"' },
    announces: { type: "Normal", reason: "SuccessfulAdopt", message: 'Adopted MachineSet "s1"' },
  });
});
