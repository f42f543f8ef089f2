import { describe, expect, it } from "vitest";
import { readControlPlane } from "../../../../shared/rules/providers/read-control-plane.ts";
import { cluster, missing } from "../../../support/builders.ts";

const OBJECT = {
  apiVersion: "controlplane.cluster.x-k8s.io/v1",
  kind: "FooControlPlane",
  metadata: { name: "cp" },
};

describe("control plane object of a Cluster", () => {
  it("is read by its reference in the namespace of the Cluster, and by nothing without one", async () => {
    const asked: string[] = [];
    const read = {
      referenced: async (
        { kind, name }: { readonly kind: string; readonly name: string },
        namespace: string,
      ) => {
        asked.push(`${kind} ${namespace}/${name}`);
        return missing(OBJECT);
      },
    } as never;
    const { controlPlaneRef, ...spec } = cluster().spec;
    expect(controlPlaneRef).toBeDefined();
    expect(await readControlPlane(read, { ...cluster(), spec })).toBeUndefined();
    expect(asked).toEqual([]);
    expect(await readControlPlane(read, cluster())).toEqual(missing(OBJECT));
    expect(asked).toEqual([`${controlPlaneRef?.kind} default/${controlPlaneRef?.name}`]);
  });
});
