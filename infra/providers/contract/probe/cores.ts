import type { Kind, KubeObject } from "../../../../shared/api/kinds.ts";
import { valueAt } from "../../../../shared/api/path.ts";
import { KubeError } from "../../../../shared/function/errors.ts";
import { compareText } from "../../../../shared/rules/conditions/conditions.ts";
import { isObject } from "../../../platform/kube/object-shape.ts";
import type { Scratch } from "./scratch.ts";
import { clustersIn } from "./views.ts";

const LEASES: Kind = {
  group: "coordination.k8s.io",
  version: "v1",
  kind: "Lease",
  plural: "leases",
  namespaced: true,
};
const MAX_LEASES = 1_000;
const OF_CORE = /capi|cluster-api|capstan/;
const OWN = "capstan-contract-";

/** Returns who plays core: holders of Leases by their names, and the field managers of the Cluster's status. */
export async function coresOf(
  { client }: Pick<Scratch, "client">,
  snapshot: ReadonlyMap<string, KubeObject>,
): Promise<readonly string[]> {
  const leases = await leasesOf(client);
  const fields = clustersIn(snapshot).flatMap((cluster) => {
    const managed = valueAt(cluster, "metadata.managedFields");
    return Array.isArray(managed) ? managed : [];
  });
  const managers = fields
    .filter((entry) => isObject(entry) && (entry["subresource"] === "status" || hasFinalizers(entry)))
    .map((entry) => String(valueAt(entry, "manager")))
    .filter((manager) => !manager.startsWith(OWN));
  return [
    ...leases,
    ...[...new Set(managers)].sort(compareText).map((manager) => `field manager ${manager}`),
  ];
}

function hasFinalizers(entry: unknown): boolean {
  return valueAt(entry, "fieldsV1.f:metadata.f:finalizers") !== undefined;
}

async function leasesOf(client: Scratch["client"]): Promise<readonly string[]> {
  try {
    const { items } = await client.list(LEASES, { maxItems: MAX_LEASES });
    return items
      .filter(({ metadata }) => OF_CORE.test(metadata.name))
      .map(({ metadata }) => `Lease ${metadata.namespace}/${metadata.name}`)
      .sort();
  } catch (error) {
    // Leases of other namespaces need a right of their own, and the managers say it too.
    if (error instanceof KubeError) return [];
    throw error;
  }
}
