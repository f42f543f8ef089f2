import { SimControlPlane } from "../../../infra/playground/api/sim-controlplane.ts";
import { SimControlPlaneLegacy } from "../../../infra/playground/api/sim-controlplane-legacy.ts";
import { CLUSTER_NAME_LABEL, PAUSED_ANNOTATION } from "../../../shared/api/indexes.ts";
import type { Kind, KubeObject } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import { MachinePool } from "../../../shared/api/machinepool.ts";
import { MachineSet } from "../../../shared/api/machineset.ts";
import { controllerOf } from "../../../shared/rules/metadata/owner-references.ts";
import type { KubeClient } from "../../../shared/runtime/ports.ts";
import type { World } from "./world.ts";

/** Kinds of which a control plane that is being deleted waits for each object. */
const WORKERS = [MachinePool, MachineDeployment, MachineSet, Machine] as readonly Kind[];
const CONTROL_PLANES = [SimControlPlane, SimControlPlaneLegacy] as readonly Kind[];
const LOOK_MS = 1_000;
const RESUMED = [
  { op: "remove", path: `/metadata/annotations/${PAUSED_ANNOTATION.replace("/", "~1")}` },
] as const;

/**
 * Clusters whose control plane is being deleted against the will of the user: the garbage collector takes it when its
 * Cluster was recreated. A control plane outlives the workers of its Cluster, so it goes only when the user lets them
 * go, too, paused ones included, and recreates them after it.
 */
export interface MakingWay {
  /** Whether a worker would keep the control plane of its Cluster from going. */
  isInTheWay(worker: KubeObject): boolean;
  /** Takes a deleted object; deletes the workers of a control plane until it is gone. */
  noteGoing(object: KubeObject): void;
}

export function createMakingWay(
  { management }: World,
  client: KubeClient,
  rest: (ms: number) => Promise<void>,
): MakingWay {
  /** By uid of a control plane that is going: its Cluster. */
  const going = new Map<string, Place>();
  const allOf = ({ group, plural }: Kind): readonly KubeObject[] =>
    [...management.storage.collection(`${group}/${plural}`).values()] as KubeObject[];
  /** A restored server may have it from before its deletion. */
  const isGoing = (uid: string): boolean =>
    CONTROL_PLANES.flatMap(allOf).some(
      ({ metadata }) => metadata.uid === uid && metadata.deletionTimestamp !== undefined,
    );
  const deleteWorkers = async (place: Place): Promise<void> => {
    const { namespace } = place;
    for (const kind of WORKERS)
      for (const { metadata } of allOf(kind).filter((object) => isWorkerOf(object, place))) {
        const { name, uid = "", annotations, deletionTimestamp } = metadata;
        // A paused worker stays where it is when it is deleted (W-30).
        if (annotations?.[PAUSED_ANNOTATION] !== undefined)
          await client.jsonPatch(kind, { namespace, name }, RESUMED).catch(() => undefined);
        if (deletionTimestamp === undefined)
          await client.delete(kind, { namespace, name }, { uid }).catch(() => undefined);
      }
  };
  const clear = async (uid: string, place: Place): Promise<void> => {
    going.set(uid, place);
    while (isGoing(uid)) {
      await deleteWorkers(place);
      await rest(LOOK_MS);
    }
    going.delete(uid);
  };
  return {
    isInTheWay: (object) => [...going.values()].some((place) => isWorkerOf(object, place)),
    noteGoing({ kind, metadata }) {
      const { uid = "", namespace = "", labels } = metadata;
      const clusterName = labels?.[CLUSTER_NAME_LABEL];
      const isControlPlane = CONTROL_PLANES.some((each) => each.kind === kind);
      if (isControlPlane && clusterName !== undefined && !going.has(uid))
        void clear(uid, { namespace, clusterName });
    },
  };
}

interface Place {
  readonly namespace: string;
  readonly clusterName: string;
}

/** Machines of a pool or a set go with it, those of the control plane stay. */
function isWorkerOf(object: KubeObject, { namespace, clusterName }: Place): boolean {
  const isWorker = WORKERS.some(({ kind }) => kind === object.kind) && controllerOf(object) === undefined;
  const { spec } = object as { readonly spec?: { readonly clusterName?: string } };
  return isWorker && spec?.clusterName === clusterName && object.metadata.namespace === namespace;
}
