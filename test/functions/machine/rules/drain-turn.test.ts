import { describe, expect, it } from "vitest";
import { drainTurn } from "../../../../functions/machine/rules/drain-turn.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import {
  cluster,
  found,
  infraMachine,
  machine,
  machineCondition,
  missing,
  type Overrides,
  unresolved,
} from "../../../support/builders.ts";

const GONE_AT = "2026-01-01T11:00:00Z";
const INFRA = infraMachine();
const FACTS = { cluster: cluster(), handling: { state: "allowed" } as const, infrastructure: found(INFRA) };

function deleted(overrides: Overrides<Machine> = {}): Machine {
  return machine("m1", { ...overrides, metadata: { deletionTimestamp: GONE_AT, ...overrides.metadata } });
}

function saying(reason: string): Machine {
  return deleted({ status: { conditions: [machineCondition("Deleting", "True", reason)] } });
}

describe("the drain's turn", () => {
  it.each([
    ["of a Machine that lives", machine(), FACTS],
    [
      "without permission",
      deleted(),
      { ...FACTS, handling: { state: "denied", by: "NoNodeRef", message: "" } },
    ],
    ["while permission is unknown", deleted(), { ...FACTS, handling: { state: "unknown", message: "" } }],
    [
      "with a pre-drain hook",
      deleted({ metadata: { annotations: { "pre-drain.delete.hook.machine.cluster.x-k8s.io": "" } } }),
      FACTS,
    ],
    ["without infrastructure machine", deleted(), { ...FACTS, infrastructure: missing(INFRA) }],
    [
      "while the infrastructure machine goes",
      deleted(),
      { ...FACTS, infrastructure: found(infraMachine("m1", { metadata: { deletionTimestamp: GONE_AT } })) },
    ],
    [
      "while the infrastructure machine cannot be read",
      deleted(),
      { ...FACTS, infrastructure: unresolved(true) },
    ],
    [
      "with the infrastructure machine of another",
      deleted(),
      {
        ...FACTS,
        infrastructure: found(
          infraMachine("m1", {
            metadata: {
              ownerReferences: [
                { apiVersion: "a/v1", kind: "Other", name: "o", uid: "uid-o", controller: true },
              ],
            },
          }),
        ),
      },
    ],
    [
      "once a pre-terminate hook was waited for",
      deleted({ status: { deletion: { waitForPreTerminateHookStartTime: GONE_AT } } }),
      FACTS,
    ],
    ["behind the stage of hooks", saying("WaitingForPreTerminateHook"), FACTS],
    ["behind the infrastructure machine", saying("WaitingForInfrastructureDeletion"), FACTS],
    ["behind the config", saying("WaitingForBootstrapDeletion"), FACTS],
    ["behind the Node", saying("DeletingNode"), FACTS],
    ["at the end", saying("DeletionCompleted"), FACTS],
  ] as const)("is not %s", (_, of, facts) => {
    expect(drainTurn(of, facts)).toBe(false);
  });
});
