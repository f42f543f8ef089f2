import { describe, expect, it } from "vitest";
import { machineStage, mayBeNodeOf, type StageFacts } from "../../../../functions/machine/rules/stage.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import {
  bootstrapConfig,
  cluster,
  connection,
  found,
  infraMachine,
  machine,
  missing,
  node,
  type Overrides,
  unresolved,
} from "../../../support/builders.ts";

const DENIED = { state: "denied", by: "NoNodeRef", message: "The Machine has no Node" } as const;
const CONFIG = bootstrapConfig({ metadata: { ownerReferences: undefined } });
const NOTHING_LEFT: StageFacts = {
  cluster: cluster(),
  handling: { state: "allowed" },
  bootstrap: missing(CONFIG),
  infrastructure: missing(infraMachine()),
  node: undefined,
  connection: connection(),
};
const ALL: StageFacts = {
  ...NOTHING_LEFT,
  bootstrap: found(CONFIG),
  infrastructure: found(infraMachine()),
  node: node(),
};
const OTHER = { apiVersion: "a/v1", kind: "Other", name: "o", uid: "uid-o", controller: true };

function deleted(overrides: Overrides<Machine> = {}): Machine {
  return machine("m1", {
    ...overrides,
    metadata: { deletionTimestamp: "2026-01-01T11:00:00Z", ...overrides.metadata },
    spec: { providerID: "foo://1" },
  });
}

function hooked(...points: readonly string[]): Machine {
  const keys = points.map((point) => [`${point}.delete.hook.machine.cluster.x-k8s.io/x`, "owner"]);
  return deleted({ metadata: { annotations: Object.fromEntries(keys) } });
}

describe("the stage of a deletion", () => {
  it.each([
    ["hooks before the drain", hooked("pre-terminate", "pre-drain"), ALL, "pre-drain hooks"],
    [
      "no such hooks without Node handling",
      hooked("pre-drain"),
      { ...ALL, handling: DENIED },
      "infrastructure",
    ],
    ["hooks whatever is left", hooked("pre-drain"), NOTHING_LEFT, "pre-drain hooks"],
    ["the drain", hooked("pre-terminate"), ALL, "drain"],
    ["hooks behind the drain", hooked("pre-terminate"), { ...ALL, handling: DENIED }, "pre-terminate hooks"],
    ["the infrastructure machine", deleted(), { ...ALL, handling: DENIED }, "infrastructure"],
    ["the config", deleted(), { ...ALL, infrastructure: missing(infraMachine()) }, "bootstrap"],
    ["the Node", deleted(), { ...NOTHING_LEFT, node: node() }, "node"],
    ["no Node without handling", deleted(), { ...NOTHING_LEFT, node: node(), handling: DENIED }, "completed"],
    ["no Node of a new instance", deleted(), { ...NOTHING_LEFT, node: node("n2") }, "completed"],
    ["nothing", deleted(), NOTHING_LEFT, "completed"],
    [
      "no object of another",
      deleted(),
      {
        ...NOTHING_LEFT,
        bootstrap: found(bootstrapConfig({ metadata: { ownerReferences: [OTHER] } })),
        infrastructure: found(infraMachine("m1", { metadata: { ownerReferences: [OTHER] } })),
      },
      "completed",
    ],
    [
      "no object whose CRD is gone",
      deleted(),
      { ...NOTHING_LEFT, bootstrap: unresolved(false), infrastructure: unresolved(false) },
      "completed",
    ],
    ["no config that is not referenced", deleted(), { ...NOTHING_LEFT, bootstrap: undefined }, "completed"],
    ["a CRD without contract", deleted(), { ...ALL, infrastructure: unresolved(true) }, "unreadable"],
    [
      "a control plane that cannot be read",
      deleted(),
      { ...ALL, handling: { state: "unknown", message: "CRD" } as const },
      "unreadable",
    ],
  ])("waits for %s", (_, of, facts, step) => {
    expect(machineStage(of, facts).step).toBe(step);
  });

  it.each([
    [
      hooked("pre-drain"),
      ALL,
      {
        reason: "WaitingForPreDrainHook",
        message:
          "Waiting for pre-drain hooks to succeed (hooks: pre-drain.delete.hook.machine.cluster.x-k8s.io/x)",
        starts: "waitForPreDrainHookStartTime",
      },
    ],
    [deleted(), ALL, { reason: "Deleting", message: "Deletion started" }],
    [
      hooked("pre-terminate.delete.hook.machine.cluster.x-k8s.io/b", "pre-terminate"),
      { ...ALL, handling: DENIED },
      {
        reason: "WaitingForPreTerminateHook",
        starts: "waitForPreTerminateHookStartTime",
      },
    ],
    [
      deleted(),
      { ...ALL, handling: DENIED },
      { reason: "WaitingForInfrastructureDeletion", message: "Waiting for FooMachine to be deleted" },
    ],
    [
      deleted(),
      { ...ALL, infrastructure: missing(infraMachine()) },
      { reason: "WaitingForBootstrapDeletion", message: "Waiting for FooConfig to be deleted" },
    ],
    [
      deleted(),
      { ...NOTHING_LEFT, node: node() },
      { reason: "DeletingNode", message: "Error deleting Node, please check controller logs for errors" },
    ],
    [
      deleted(),
      { ...NOTHING_LEFT, connection: connection({ status: { state: "unreachable", message: "no route" } }) },
      {
        reason: "DeletingNode",
        message: "Waiting for the connection to the workload cluster to delete the Node: no route",
      },
    ],
    [deleted(), NOTHING_LEFT, { reason: "DeletionCompleted", message: "Deletion completed" }],
    [
      deleted(),
      { ...ALL, infrastructure: unresolved(true) },
      { reason: "InternalError", message: "CRD of Foo cannot be used" },
    ],
  ])("is said by the condition Deleting: %#", (of, facts, said) => {
    expect(machineStage(of, facts)).toMatchObject(said);
  });

  it("names hooks sorted", () => {
    const annotations = Object.fromEntries(
      ["b", "a"].map((name) => [`pre-drain.delete.hook.machine.cluster.x-k8s.io/${name}`, ""]),
    );
    const { message } = machineStage(deleted({ metadata: { annotations } }), ALL);
    expect(message).toMatch(/\(hooks: pre-drain\.\S+\/a,pre-drain\.\S+\/b\)$/);
  });

  it("knows a Node that may still become the Machine's", () => {
    expect(mayBeNodeOf(deleted(), node())).toBe(true);
    expect(mayBeNodeOf(deleted(), node("n1", { spec: { providerID: undefined } }))).toBe(true);
    expect(mayBeNodeOf(machine(), node("n2"))).toBe(true);
    expect(mayBeNodeOf(deleted(), node("n2"))).toBe(false);
  });
});
