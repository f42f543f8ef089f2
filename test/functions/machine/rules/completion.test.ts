import { describe, expect, it } from "vitest";
import { awaitedCompletion } from "../../../../functions/machine/rules/completion.ts";
import { machineStatus } from "../../../../functions/machine/rules/status.ts";
import type { MachineFacts } from "../../../../functions/machine/rules/view.ts";
import { found, missing, node } from "../../../support/builders.ts";
import { machineViewWith } from "../../../support/machine-view.ts";
import { machineConfig, ownInfraMachine, ready, soloMachine } from "../../../support/machines.ts";

const STAGE = { reason: "R", message: "m" };
const UNSYNCED = soloMachine({ spec: { providerID: undefined } });
const NOT_READY = node("n1", { status: { conditions: [{ type: "Ready", status: "False" }] } });

describe("what a Machine waits for", () => {
  it.each<[string, string | undefined, Partial<MachineFacts>]>([
    ["nothing", undefined, {}],
    [
      "its config",
      "BootstrapConfig.metadata.uid",
      {
        machine: soloMachine({ spec: { bootstrap: { dataSecretName: undefined } } }),
        providers: { ...ready(), bootstrap: missing(machineConfig()) },
      },
    ],
    [
      "its infrastructure",
      "InfraMachine.status.initialization.provisioned",
      {
        machine: UNSYNCED,
        providers: { ...ready(), infrastructure: found(ownInfraMachine({ status: undefined })) },
      },
    ],
    ["the workload cluster", "Connection.status.state", { connection: undefined, nodes: undefined }],
    ["its Node", "Node.metadata.uid of foo://1", { nodes: [] }],
    ["its Node to be well", "Node.status.conditions of n1", { nodes: [NOT_READY] }],
    [
      "a gate",
      "Machine.status.conditions",
      { machine: soloMachine({ spec: { readinessGates: [{ conditionType: "Gpu" }] } }) },
    ],
    ["the drain", "Machine.status.conditions[Deleting]", { stage: { ...STAGE, step: "drain" } }],
    [
      "its infrastructure to go",
      "InfraMachine.metadata.uid",
      { stage: { ...STAGE, step: "infrastructure" } },
    ],
  ])("is %s", (_, awaited, facts) => {
    const view = machineViewWith(facts);
    expect(awaitedCompletion(view, machineStatus(view))).toBe(awaited);
  });
});
