import { describe, expect, it } from "vitest";
import { readHandling } from "../../../../functions/machine/rules/read-handling.ts";
import type { Referenced } from "../../../../shared/contract/referenced.ts";
import type { Reader } from "../../../../shared/function/reads.ts";
import { cluster, machine, missing } from "../../../support/builders.ts";

const DELETING = { metadata: { deletionTimestamp: "2026-01-01T11:00:00Z" } };
const WORKER = machine("m1", { status: { nodeRef: { name: "n1" } } });
const CONTROL_PLANE = {
  apiVersion: "controlplane.cluster.x-k8s.io/v1",
  kind: "FooControlPlane",
  metadata: { name: "c1-control-plane", namespace: "default" },
};

/** Snapshots with one control plane Machine; what was asked of them. */
function snapshots() {
  const asked: string[] = [];
  const read = {
    referenced: async ({ name }: { readonly name: string }): Promise<Referenced> => {
      asked.push(name);
      return missing(CONTROL_PLANE);
    },
    list: async (
      _: unknown,
      selection: { readonly index: { readonly name: string; readonly values: unknown } },
    ) => {
      asked.push(`${selection.index.name} ${String(selection.index.values)}`);
      return [machine("cp1")];
    },
  } as unknown as Pick<Reader, "referenced" | "list">;
  return { asked, read };
}

describe("what decides about the Node of a deleted Machine", () => {
  it.each([
    ["there is no Cluster", WORKER, undefined, "ClusterGone"],
    ["the Cluster is being deleted", WORKER, cluster(DELETING), "ClusterDeleting"],
    ["the Machine has no Node", machine(), cluster(), "NoNodeRef"],
  ])("is read from nothing else when %s", async (_, of, in_, by) => {
    const { asked, read } = snapshots();
    expect(await readHandling(read, of, in_)).toMatchObject({ state: "denied", by });
    expect(asked).toEqual([]);
  });
});
