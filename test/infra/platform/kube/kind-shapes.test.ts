import { describe, expect, it } from "vitest";
import { problemOf } from "../../../../infra/platform/kube/kind-shapes.ts";
import type { Kind } from "../../../../shared/api/kinds.ts";
import { PersistentVolume, Pod, VolumeAttachment } from "../../../../shared/api/workload.ts";

const kinds = { Pod, VolumeAttachment, PersistentVolume };

function problem(kind: keyof typeof kinds, content: object): string | undefined {
  const metadata = { name: "a", ...(kind === "Pod" ? { namespace: "default" } : {}) };
  return problemOf({ kind, metadata, ...content }, kinds[kind] as Kind);
}

describe("objects of a workload server", () => {
  it("pass with everything that rules read, and without it", () => {
    const volumes = [
      { name: "v", persistentVolumeClaim: { claimName: "c" } },
      { name: "w", ephemeral: {} },
    ];
    expect(
      problem("Pod", { spec: { nodeName: "n1", volumes }, status: { phase: "Running" } }),
    ).toBeUndefined();
    const spec = { nodeName: "n1", attacher: "x", source: { persistentVolumeName: "pv1" } };
    expect(problem("VolumeAttachment", { spec, status: { attached: true } })).toBeUndefined();
    const csi = { driver: "d", volumeHandle: "h" };
    expect(
      problem("PersistentVolume", { spec: { csi, claimRef: { namespace: "a", name: "b" } } }),
    ).toBeUndefined();
    for (const kind of ["Pod", "VolumeAttachment", "PersistentVolume"] as const) {
      expect(problem(kind, {})).toBeUndefined();
    }
  });

  it.each<[keyof typeof kinds, object, string]>([
    [
      "Pod",
      { metadata: { name: "a\u001b[2J", namespace: "default" } },
      "metadata.name of a Pod is not a DNS subdomain",
    ],
    ["Pod", { metadata: { name: "a", namespace: "x\n* y" } }, "metadata.namespace of a Pod"],
    ["Pod", { spec: { volumes: "all" } }, "spec.volumes of a Pod"],
    [
      "Pod",
      { spec: { volumes: [{ persistentVolumeClaim: { claimName: {} } }] } },
      "spec.volumes.persistentVolumeClaim.claimName of a Pod",
    ],
    ["Pod", { status: { phase: 7 } }, "status.phase of a Pod"],
    [
      "VolumeAttachment",
      { spec: { source: { persistentVolumeName: ["pv"] } } },
      "spec.source.persistentVolumeName",
    ],
    ["VolumeAttachment", { status: { attached: "true" } }, "status.attached of a VolumeAttachment"],
    ["PersistentVolume", { spec: { claimRef: { name: "a b" } } }, "spec.claimRef.name of a PersistentVolume"],
  ])("are refused where a rule would stumble: %s %j", (kind, content, expected) => {
    expect(problem(kind, content)).toContain(expected);
  });
});
