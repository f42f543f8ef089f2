import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { type Kind, type KubeObject, objectKeyOf } from "../../../shared/api/kinds.ts";
import { valueAt } from "../../../shared/api/path.ts";
import { TRAITS } from "../../../shared/api/traits.ts";
import type { Store } from "../../../shared/runtime/ports.ts";
import { managementType } from "../../../shared/runtime/read/management-type.ts";

/** Reasons why one object is not ready yet. */
export interface Unready {
  /** `MachinePool default/demo-pool`. */
  readonly object: string;
  readonly why: string;
}

/**
 * Returns the given objects that are not ready yet, as the traits of their kind say it; Clusters need all replicas of
 * control plane and workers besides. Other kinds are ignored.
 */
export async function unreadyAmong(
  store: Store,
  objects: readonly KubeObject[],
): Promise<readonly Unready[]> {
  const judged = await Promise.all(objects.map((object) => judge(store, object)));
  return judged.flat();
}

async function judge(store: Store, object: KubeObject): Promise<readonly Unready[]> {
  const { kind, ready } = TRAITS.find((row) => row.kind.kind === object.kind) ?? {};
  if (kind === undefined || ready === undefined) return [];
  const key = { ...objectKeyOf(object), namespace: object.metadata.namespace ?? "default" };
  const name = `${object.kind} ${key.namespace}/${key.name}`;
  const current = await store.get(managementType(kind), key);
  if (current === undefined) return [{ object: name, why: "does not exist" }];
  const wanted = ready.phase;
  const phase = valueAt(current, "status.phase");
  if (phase !== wanted)
    return [
      { object: name, why: `phase is ${String(phase ?? "not set")}, not ${wanted}${reasonsOf(current)}` },
    ];
  if (ready.nodes === true && nodesMissing(current))
    return [{ object: name, why: "some instances have no Node yet" }];
  if (ready.available === true && !isAvailable(current)) {
    return [{ object: name, why: `condition Available is not True${reasonsOf(current, AVAILABLE)}` }];
  }
  const missing = kind === (Cluster as Kind) ? replicasMissing(current) : undefined;
  return missing === undefined ? [] : [{ object: name, why: missing }];
}

/** An available Cluster may still have replicas to come; a counter that no provider reports is not waited for. */
function replicasMissing(cluster: KubeObject): string | undefined {
  for (const [part, path] of [
    ["control plane", "status.controlPlane"],
    ["workers", "status.workers"],
  ] as const) {
    const desired = valueAt(cluster, `${path}.desiredReplicas`);
    const available = valueAt(cluster, `${path}.availableReplicas`);
    if (typeof desired === "number" && typeof available === "number" && available < desired) {
      return `${available} of ${desired} replicas of the ${part} are available`;
    }
  }
  return undefined;
}

function isAvailable(cluster: KubeObject): boolean {
  return valueAt(cluster, "status.conditions[Available].status") === "True";
}

function nodesMissing(object: KubeObject): boolean {
  const replicas = valueAt(object, "spec.replicas");
  const refs = valueAt(object, "status.nodeRefs");
  return replicas !== (Array.isArray(refs) ? refs.length : 0);
}

/** Returns the conditions that name a problem, in one line. */
function reasonsOf(object: KubeObject, types = READY_TYPES): string {
  const conditions = valueAt(object, "status.conditions");
  if (!Array.isArray(conditions)) return "; no function has written its status yet";
  const bad = conditions
    .filter((one) => types.has(String(valueAt(one, "type"))) && valueAt(one, "status") !== "True")
    .map((one) => {
      const message = valueAt(one, "message");
      return `${String(valueAt(one, "type"))}: ${String(message === undefined || message === "" ? valueAt(one, "reason") : message)}`;
    });
  return bad.length === 0 ? "" : `; ${bad.join("; ").replaceAll("\n", " ")}`;
}
const AVAILABLE = new Set(["Available"]);
const READY_TYPES = new Set([
  "BootstrapConfigReady",
  "InfrastructureReady",
  "ControlPlaneInitialized",
  "ControlPlaneAvailable",
  "RemoteConnectionProbe",
]);
