import { CONTROL_PLANE_LABEL } from "../../../api/indexes.ts";
import { CLUSTER_GROUP, groupOf, type KubeObject } from "../../../api/kinds.ts";
import { textAt, valueAt } from "../../../api/path.ts";
import type { Snapshot } from "./subject.ts";

export function coreObjects(snapshot: Snapshot, kind: string): readonly KubeObject[] {
  return [...snapshot.values()].filter(
    (object) => object.kind === kind && groupOf(object.apiVersion) === CLUSTER_GROUP,
  );
}

/** The Cluster of a life. */
export function clusterIn(snapshot: Snapshot): KubeObject | undefined {
  return coreObjects(snapshot, "Cluster")[0];
}

/** Machines of a control plane: those that it owns, or that are labelled as such. */
export function machinesOf(title: string, snapshot: Snapshot): readonly KubeObject[] {
  const uid = snapshot.get(title)?.metadata.uid;
  return coreObjects(snapshot, "Machine").filter(
    ({ metadata: { labels = {}, ownerReferences = [] } }) =>
      Object.hasOwn(labels, CONTROL_PLANE_LABEL) || ownerReferences.some((owner) => owner.uid === uid),
  );
}

/** Whether host and port are there, as core counts an endpoint. */
export function hasEndpoint(object: KubeObject | undefined): boolean {
  const endpoint = valueAt(object, "spec.controlPlaneEndpoint");
  const port = valueAt(endpoint, "port");
  return textAt(endpoint, "host") !== "" && typeof port === "number" && port !== 0;
}
