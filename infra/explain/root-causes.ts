import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { Connection } from "../../shared/api/core.ts";
import { type Kind, type KubeObject, MANAGEMENT, type ObjectKey } from "../../shared/api/kinds.ts";
import { readTopologyRuns, topologyProblem } from "../../shared/rules/coexistence/topology.ts";
import { connectionProblem, reasonTold } from "../../shared/rules/workload/connection.ts";
import type { Store } from "../../shared/runtime/ports.ts";
import type { Freshness } from "../../shared/runtime/signs.ts";
import { clusterNamed, type ObjectNode } from "./object-tree.ts";

/** A cause that holds up several functions and conditions; it is named once. */
export interface RootCause {
  readonly about: "freshness" | "worker" | "connection" | "definition" | "list" | "topology";
  /** Of a definition: `<group>/<Kind>`. */
  readonly definition?: string;
  /** Condition and cause, then `; ` and the action. */
  readonly message: string;
}

/**
 * Finds the root causes in a tree: kinds that are missing, have no contract label or may not be listed, the workload
 * cluster that is not connected, a topology that nothing runs.
 */
export async function rootCausesOf(store: Store, root: ObjectNode, now: Date): Promise<readonly RootCause[]> {
  const causes = [...(await causesOfCluster(store, root, now)), ...kindsIn(root)];
  return [...new Map(causes.map((cause) => [cause.message, cause])).values()];
}

/** Returns what makes everything else old, and so stands before it. */
export function silenceCauses({ silences }: Pick<Freshness, "silences">): readonly RootCause[] {
  return silences.map(({ message }) => ({ about: "freshness", message }));
}

function kindsIn({ problem, definition, isRefused, children }: ObjectNode): readonly RootCause[] {
  const own = (): readonly RootCause[] => {
    if (problem === undefined) return [];
    if (definition !== undefined) return [{ about: "definition", definition, message: problem }];
    return isRefused === true ? [{ about: "list", message: problem }] : [];
  };
  return [...own(), ...children.flatMap(kindsIn)];
}

/** Returns the causes in the Cluster that is the root of the tree or contains it. */
async function causesOfCluster(
  store: Store,
  { kind, object }: ObjectNode,
  now: Date,
): Promise<readonly RootCause[]> {
  const [namespace = "", name] = (object && clusterNamed(kind, object))?.split("/") ?? [];
  if (name === undefined) return [];
  const read = readerOf(store);
  const key = { namespace, name };
  const [cluster, connection] = await Promise.all([read.get(Cluster, key), read.get(Connection, key)]);
  if (cluster === undefined) return [];
  const topology = topologyProblem(cluster, await readTopologyRuns(read, cluster));
  const message =
    (connection && connectionProblem(cluster, connection, now).message) ?? reasonTold(cluster, connection);
  return [
    ...(topology === undefined ? [] : [{ about: "topology", message: topology } as const]),
    ...(message === undefined ? [] : [{ about: "connection", message } as const]),
  ];
}

function readerOf(store: Store) {
  return {
    get: async <T extends KubeObject>({ group, kind }: Kind<T>, key: ObjectKey): Promise<T | undefined> =>
      (await store.get({ cluster: MANAGEMENT, group, kind }, key)) as T | undefined,
  };
}

/** Returns whether a function that waits for `what` (`Kind.path`) waits for the end of this cause. */
export function isAwaited({ about, definition, message }: RootCause, what: string): boolean {
  switch (about) {
    case "freshness":
      return what === message;
    case "worker":
      return false;
    case "connection":
      return /^Connection[. ]/.test(what);
    case "definition":
      return what.startsWith("CustomResourceDefinition.") && what.endsWith(` of ${definition}`);
    case "list":
      return what.includes(message);
    case "topology":
      return /^Cluster\.spec\.(infrastructureRef|controlPlaneRef)$/.test(what);
    default:
      about satisfies never;
      return false;
  }
}
