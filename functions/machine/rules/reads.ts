import { type Connection, Node } from "../../../shared/api/core.ts";
import { workloadCluster } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import { MachineSet } from "../../../shared/api/machineset.ts";
import { readBoolean } from "../../../shared/contract/fields.ts";
import { infraMachinePath } from "../../../shared/contract/infra-machine.ts";
import { clusterKeyOf } from "../../../shared/function/guards.ts";
import type { Reader } from "../../../shared/function/reads.ts";
import { readRenamed } from "../../../shared/rules/machines/node-of-machine.ts";
import { readOwner } from "../../../shared/rules/metadata/read-owner.ts";
import {
  type MachineProviders,
  readMachineProviders,
} from "../../../shared/rules/providers/machine-providers.ts";
import { isCompleteView } from "../../../shared/rules/workload/complete-view.ts";
import { ownObject } from "./adoption.ts";
import type { MarkFacts } from "./node-marks.ts";
import { isOutdated } from "./revision.ts";
import { mayBeNodeOf } from "./stage.ts";
import type { Rollout } from "./up-to-date.ts";

/** Reads config and infrastructure machine, from snapshots or, given `read.live`, from the API server. */
export function readProviders(
  read: Pick<Reader, "referenced">,
  { metadata, spec }: Machine,
): Promise<MachineProviders> {
  return readMachineProviders(read, spec, metadata.namespace);
}

/** The Node of `nodeRef`, or the renamed one; `undefined` also without a complete view of the workload cluster. */
export async function readNodeOf(
  read: Pick<Reader, "get" | "list">,
  machine: Machine,
  connection: Connection | undefined,
): Promise<Node | undefined> {
  const { name } = machine.status?.nodeRef ?? {};
  if (name === undefined || !isCompleteView(connection)) return undefined;
  const named = await read.get(Node, { namespace: "", name }, workloadCluster(clusterKeyOf(machine)));
  return named !== undefined && mayBeNodeOf(machine, named) ? named : readRenamed(read, machine);
}

/** Reads the set of a Machine, with its MachineDeployment; `undefined`: it has no set. */
export async function readRollout(read: Reader, machine: Machine): Promise<Rollout | undefined> {
  const set = await readOwner(MachineSet, machine, read);
  return set && { set, deployment: await readOwner(MachineDeployment, set, read) };
}

/** Reads what marks depend on beside Machine and Node. */
export async function readMarkFacts(read: Reader, machine: Machine): Promise<MarkFacts> {
  const { namespace = "" } = machine.metadata;
  const [infrastructure, set] = await Promise.all([
    read.referenced(machine.spec.infrastructureRef, namespace),
    readOwner(MachineSet, machine, read),
  ]);
  const own = ownObject(machine, infrastructure);
  const deployment = set === undefined ? undefined : await readOwner(MachineDeployment, set, read);
  return {
    interruptible:
      own !== undefined &&
      readBoolean(own.object, infraMachinePath(own.contract, "interruptible")).value === true,
    outdated: isOutdated(set, deployment),
  };
}
