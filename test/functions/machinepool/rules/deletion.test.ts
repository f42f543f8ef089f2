import { describe, expect, it } from "vitest";
import {
  awaitedDeletion,
  deletionMessage,
  unreadableProviders,
} from "../../../../functions/machinepool/rules/deletion.ts";
import {
  bootstrapConfig,
  found,
  infraMachinePool,
  machinePool,
  missing,
  unresolved,
} from "../../../support/builders.ts";

const BOTH = { bootstrap: found(bootstrapConfig()), infrastructure: found(infraMachinePool()) };
const NONE = { bootstrap: undefined, infrastructure: missing(infraMachinePool()) };
function deleted(nodeDeletionTimeoutSeconds?: number) {
  return machinePool({
    metadata: { deletionTimestamp: "2026-01-01T11:00:00Z" },
    spec: { template: { spec: { deletion: { nodeDeletionTimeoutSeconds } } } },
  });
}

describe("the deletion of a pool", () => {
  it("cannot decide whether objects are gone whose CRD claims no contract", () => {
    const unreadable = (bootstrap: ReturnType<typeof unresolved>) =>
      unreadableProviders(deleted(), { ...NONE, bootstrap }).map(({ reference }) => reference.name);
    expect(unreadable(unresolved(true))).toEqual(["p1-config"]);
    expect(unreadable(unresolved(false))).toEqual([]);
  });

  it.each([
    ["the bootstrap object first", BOTH, "BootstrapConfig.metadata.uid"],
    ["then the infrastructure object", { ...BOTH, bootstrap: undefined }, "InfraMachinePool.metadata.uid"],
    [
      "then a definition without contract",
      { ...NONE, infrastructure: unresolved(true) },
      "CustomResourceDefinition.metadata.labels of infrastructure.cluster.x-k8s.io/FooMachinePool",
    ],
    ["nothing more", NONE, undefined],
  ])("waits for %s", (_, providers, awaited) => {
    expect(awaitedDeletion(deleted(), providers)).toBe(awaited);
  });

  it("says what it waits for, in the order in which it goes", () => {
    const withNodes = { ...deleted(), status: { nodeRefs: [{ name: "n1" }] } };
    expect(deletionMessage(withNodes, { ...BOTH, bootstrap: undefined })).toBe(
      "Waiting for infrastructure.cluster.x-k8s.io/FooMachinePool p1-infra to be deleted",
    );
    expect(deletionMessage(withNodes, { ...NONE, infrastructure: unresolved(true) })).toBe(
      "CRD of Foo cannot be used",
    );
    expect(deletionMessage(withNodes, NONE)).toBe("Waiting for 1 Nodes to be deleted");
    expect(deletionMessage(deleted(), NONE)).toBe("Waiting for finalizers to be removed");
  });
});
