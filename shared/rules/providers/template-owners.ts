import { Cluster } from "../../api/cluster/cluster.ts";
import { TEMPLATE_SUFFIX } from "../../api/indexes.ts";
import { refTo } from "../../api/kinds.ts";
import type { GuardedPatch } from "../../function/define-function.ts";
import { ownerReference, ownerReferencePatch } from "../metadata/owner-references.ts";
import type { MachineProviders } from "./machine-providers.ts";

/** Makes the Cluster an owner of the templates of a set or a deployment, and of no object of another kind. */
export function templateOwnerPatches(
  { bootstrap, infrastructure }: MachineProviders,
  cluster: Cluster,
): readonly GuardedPatch[] {
  const owner = ownerReference(Cluster, cluster);
  return [bootstrap, infrastructure].flatMap((found) =>
    found?.state === "found" && found.object.kind.endsWith(TEMPLATE_SUFFIX)
      ? [{ target: refTo(found.kind, found.object), operations: ownerReferencePatch(found.object, owner) }]
      : [],
  );
}
