import type { KubeObject } from "../../shared/api/kinds.ts";
import type { Machine } from "../../shared/api/machine/machine.ts";
import type { MachineDrainRule } from "../../shared/api/machine/machine-drain-rule.ts";
import type { PersistentVolume, Pod, VolumeAttachment } from "../../shared/api/workload.ts";
import { machine, merge, type Overrides } from "./builders.ts";

/** Pod `apps/<name>` on Node n1, without controller. */
export function podOn(name: string, overrides: Overrides<Pod> = {}): Pod {
  return merge<Pod>(
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "apps", uid: `uid-${name}`, resourceVersion: "5" },
      spec: { nodeName: "n1" },
      status: { phase: "Running" },
    },
    overrides,
  );
}

export function namespace(name: string, labels: { readonly [key: string]: string } = {}): KubeObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name, uid: `uid-${name}`, labels } };
}

export function daemonSet(name: string): KubeObject {
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name, namespace: "apps", uid: `uid-${name}` },
  };
}

/** Metadata of a Pod that this DaemonSet controls. */
export function ofDaemonSet(name: string): Overrides<Pod> {
  const owner = { apiVersion: "apps/v1", kind: "DaemonSet", name, uid: `uid-${name}`, controller: true };
  return { metadata: { ownerReferences: [owner] } };
}

export function drainRule(name: string, spec: MachineDrainRule["spec"]): MachineDrainRule {
  const metadata = { name, namespace: "default", uid: `uid-${name}` };
  return { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "MachineDrainRule", metadata, spec };
}

/** VolumeAttachment of Node n1, attached. */
export function attachment(name: string, persistentVolumeName?: string): VolumeAttachment {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "VolumeAttachment",
    metadata: { name, uid: `uid-${name}` },
    spec: { nodeName: "n1", source: persistentVolumeName === undefined ? {} : { persistentVolumeName } },
    status: { attached: true },
  };
}

/** PersistentVolume of driver csi.dev with handle h-<name>, bound to claim apps/<claim>. */
export function volume(name: string, claim?: string): PersistentVolume {
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name, uid: `uid-${name}` },
    spec: {
      csi: { driver: "csi.dev", volumeHandle: `h-${name}` },
      ...(claim === undefined ? {} : { claimRef: { namespace: "apps", name: claim } }),
    },
  };
}

/** Machine m1 with Node n1, deleted a minute ago, without pool. */
export function deletedMachine(overrides: Overrides<Machine> = {}): Machine {
  return merge<Machine>(
    machine("m1", {
      metadata: {
        deletionTimestamp: "2026-01-01T11:59:00Z",
        finalizers: ["machine.cluster.x-k8s.io"],
        labels: { "cluster.x-k8s.io/cluster-name": "c1" },
        ownerReferences: [],
      },
      spec: { providerID: "foo://1" },
      status: { nodeRef: { name: "n1" }, conditions: [] },
    }),
    overrides,
  );
}
