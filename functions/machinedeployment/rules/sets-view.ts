import { CLUSTER_NAME_LABEL } from "../../../shared/api/indexes.ts";
import type { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import { MachineSet } from "../../../shared/api/machineset.ts";
import { clusterKeyOf } from "../../../shared/function/guards.ts";
import type { LiveReader, Reader } from "../../../shared/function/reads.ts";
import { withUnlisted } from "../../../shared/rules/metadata/read-unlisted.ts";
import { isAdoptable, isOwnSet } from "./adoption.ts";

/** Everything that decides about the sets of a deployment. */
export interface SetsView {
  readonly deployment: MachineDeployment;
  /** Those that the deployment controls or adopts. */
  readonly sets: readonly MachineSet[];
  /** Those that it controls. */
  readonly own: readonly MachineSet[];
}

/** Reads the view of snapshots: it says whether there is something to do. */
export async function readSetsView(
  read: Pick<Reader, "list">,
  deployment: MachineDeployment,
): Promise<SetsView> {
  const { namespace, name } = clusterKeyOf(deployment);
  const index = { name: "cluster", values: [`${namespace}/${name}`] };
  return viewOf(deployment, await read.list(MachineSet, { namespace, index }));
}

/**
 * Reads the view by which sets are made, resized and deleted: one list of the API server. A set that lost the label of
 * its Cluster is in no such list: one that snapshots show is read by name. The deployment was read live before.
 */
export async function readLiveSetsView(
  live: Pick<LiveReader, "get" | "list">,
  deployment: MachineDeployment,
  known: SetsView,
): Promise<SetsView> {
  const { namespace, name } = clusterKeyOf(deployment);
  const listed = await live.list(MachineSet, { namespace, labelSelector: `${CLUSTER_NAME_LABEL}=${name}` });
  return viewOf(deployment, await withUnlisted(live, MachineSet, listed, known.sets));
}

function viewOf(deployment: MachineDeployment, found: readonly MachineSet[]): SetsView {
  const own = found.filter((set) => isOwnSet(deployment, set));
  return { deployment, own, sets: found.filter((set) => own.includes(set) || isAdoptable(deployment, set)) };
}
