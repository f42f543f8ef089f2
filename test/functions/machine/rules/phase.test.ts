import { describe, expect, it } from "vitest";
import { machinePhase } from "../../../../functions/machine/rules/phase.ts";
import type { Machine, MachineStatus } from "../../../../shared/api/machine/machine.ts";
import { machineCondition, type Overrides } from "../../../support/builders.ts";
import { soloMachine } from "../../../support/machines.ts";

const BOTH = { bootstrapDataSecretCreated: true, infrastructureProvisioned: true };
const UPDATING = [machineCondition("Updating", "True", "InPlaceUpdating")];
const NO_ID = { spec: { providerID: undefined } };

describe("the phase of a Machine", () => {
  it.each<[string, Overrides<Machine>, MachineStatus]>([
    ["Pending", NO_ID, {}],
    ["Provisioning", NO_ID, { initialization: { bootstrapDataSecretCreated: true } }],
    ["Pending", NO_ID, { initialization: BOTH }],
    ["Provisioned", {}, { initialization: { bootstrapDataSecretCreated: true } }],
    ["Provisioned", {}, { nodeRef: { name: "n1" } }],
    ["Running", {}, { initialization: BOTH, nodeRef: { name: "n1" } }],
    ["Updating", {}, { initialization: BOTH, nodeRef: { name: "n1" }, conditions: UPDATING }],
    ["Deleting", { metadata: { deletionTimestamp: "2026-01-01T11:00:00Z" } }, { conditions: UPDATING }],
  ])("is %s for spec %j and status %j", (phase, overrides, status) => {
    expect(machinePhase(soloMachine(overrides), status)).toBe(phase);
  });
});
