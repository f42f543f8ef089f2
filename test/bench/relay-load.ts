import { POOL_FINALIZER } from "../../functions/machinepool/rules/guard.ts";
import { Node } from "../../shared/api/core.ts";
import { apiVersionOf, type Kind, type KubeObject } from "../../shared/api/kinds.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";

/**
 * Objects that a bench server lists, and events that it then sends. It is the base path of its URL:
 * `/Node,50,4096,0,0`.
 */
export interface Load {
  readonly kind: "MachinePool" | "Node";
  readonly objects: number;
  /** Of one object as JSON; more than half of it managedFields when there is room. */
  readonly bytes: number;
  /** Changes after the list, one object after the other; each of a MachinePool's status, each a Node's heartbeat. */
  readonly events: number;
  /** 0 = as fast as they are read. */
  readonly perSecond: number;
}

/** Version of the list. Events have the versions behind it. */
export const LIST_VERSION = 1_000_000;

export function pathOfLoad({ kind, objects, bytes, events, perSecond }: Load): string {
  return [kind, objects, bytes, events, perSecond].join(",");
}

export function loadOfPath(path: string): Load {
  const [kind, ...numbers] = path.split(",");
  const [objects = 0, bytes = 0, events = 0, perSecond = 0] = numbers.map(Number);
  return { kind: kind === "Node" ? "Node" : "MachinePool", objects, bytes, events, perSecond };
}

export function kindOfLoad({ kind }: Pick<Load, "kind">): Kind {
  return (kind === "Node" ? Node : MachinePool) as Kind;
}

/** The text of object `at` in a version. `beat` changes with every event. */
export function textOfObject(load: Load, at: number, resourceVersion: number, beat: number): string {
  const object = load.kind === "Node" ? nodeAt(at, beat) : poolAt(at, beat);
  const metadata = { ...object.metadata, uid: `uid-${at}`, resourceVersion: String(resourceVersion) };
  const bare = JSON.stringify({ ...object, metadata });
  const missing = load.bytes - bare.length;
  if (missing < 200) return bare;
  const managedFields = managersOf(Math.floor(missing * 0.6));
  const annotations = { ...object.metadata.annotations, "bench.capstan.dev/filler": "" };
  const filled = JSON.stringify({ ...object, metadata: { ...metadata, annotations, managedFields } });
  const filler = "x".repeat(Math.max(0, load.bytes - filled.length));
  return filled.replace('"bench.capstan.dev/filler":""', `"bench.capstan.dev/filler":"${filler}"`);
}

/** When the event was sent, ms since epoch. */
export function sentAtOf({ metadata }: KubeObject): number {
  return Number(metadata.annotations?.["cluster.x-k8s.io/sent-at"] ?? Number.NaN);
}

function nodeAt(at: number, beat: number): KubeObject & { readonly [field: string]: unknown } {
  const type = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];
  const heartbeat = new Date(1_790_000_000_000 + beat * 1_000).toISOString();
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: `node-${at}` },
    spec: { providerID: `bench://${at}` },
    status: {
      conditions: type.map((each) => ({
        type: each,
        status: each === "Ready" ? "True" : "False",
        reason: "Bench",
        lastHeartbeatTime: heartbeat,
        lastTransitionTime: "2026-01-01T00:00:00Z",
      })),
      nodeInfo: { kubeletVersion: "v1.34.0", osImage: "bench" },
    },
  };
}

function poolAt(at: number, beat: number): KubeObject & { readonly [field: string]: unknown } {
  const name = `pool-${at}`;
  const reference = (kind: string) => ({ apiGroup: "bench.capstan.dev", kind, name });
  return {
    apiVersion: apiVersionOf(MachinePool as Kind),
    kind: "MachinePool",
    metadata: {
      name,
      namespace: "default",
      // A pool without it wakes no function but its guard.
      finalizers: [POOL_FINALIZER],
      labels: { "cluster.x-k8s.io/cluster-name": "bench" },
      annotations: { "cluster.x-k8s.io/sent-at": String(Date.now()) },
    },
    spec: {
      clusterName: "bench",
      replicas: 3,
      template: {
        spec: {
          clusterName: "bench",
          bootstrap: { configRef: reference("BenchConfig") },
          infrastructureRef: reference("BenchMachinePool"),
        },
      },
    },
    status: { replicas: beat % 7, phase: "Running" },
  };
}

function managersOf(bytes: number): readonly object[] {
  const fields: { [field: string]: object } = {};
  for (let at = 0; at * 26 < bytes; at += 1) fields[`f:field-${String(at).padStart(6, "0")}`] = { "f:x": {} };
  return [
    { manager: "bench", operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: fields },
  ];
}
