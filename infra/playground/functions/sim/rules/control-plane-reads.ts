import type { Cluster } from "../../../../../shared/api/cluster/cluster.ts";
import { CLUSTER_NAME_LABEL, CONTROL_PLANE_LABEL } from "../../../../../shared/api/indexes.ts";
import { objectKeyOf } from "../../../../../shared/api/kinds.ts";
import { Machine } from "../../../../../shared/api/machine/machine.ts";
import type { Reader } from "../../../../../shared/function/reads.ts";
import { isControlPlaneMachine } from "../../../../../shared/rules/machines/control-plane-machine.ts";
import {
  controllerOf,
  controllerReference,
  sameOwner,
} from "../../../../../shared/rules/metadata/owner-references.ts";
import { SimBootstrapConfig, SimBootstrapConfigTemplate } from "../../../api/sim-bootstrap.ts";
import { SimMachine, SimMachineTemplate } from "../../../api/sim-machine.ts";
import type { ControlPlaneMachine } from "./control-plane-propagation.ts";
import { type AnyControlPlane, kindOfControlPlane, type MachineTemplate } from "./control-plane-view.ts";

/** The Machines of a control plane, by snapshots; those of a control plane that was restored with another uid, too. */
export async function readMachines(
  read: Pick<Reader, "list">,
  object: AnyControlPlane,
  cluster: Cluster,
): Promise<readonly Machine[]> {
  const { namespace = "" } = object.metadata;
  const { name } = cluster.metadata;
  const index = { name: "controlPlane", values: [`${namespace}/${name}|${name}`] };
  return ownAmong(object, await read.list(Machine, { namespace, index }));
}

/** The same as the API server has them. */
export async function readMachinesLive(
  live: Pick<Reader["live"], "list">,
  object: AnyControlPlane,
  clusterName: string,
): Promise<readonly Machine[]> {
  const labelSelector = `${CLUSTER_NAME_LABEL}=${clusterName},${CONTROL_PLANE_LABEL}`;
  return ownAmong(object, await live.list(Machine, { namespace: object.metadata.namespace, labelSelector }));
}

function ownAmong(object: AnyControlPlane, machines: readonly Machine[]): readonly Machine[] {
  const own = controllerReference(kindOfControlPlane(object), object);
  return machines.filter((machine) => {
    const controller = controllerOf(machine);
    return isControlPlaneMachine(machine) && controller !== undefined && sameOwner(controller, own);
  });
}

/** Machines with what was cloned for them; a clone has the name of its Machine, and the Machine as controller. */
export function withClones(
  read: Pick<Reader, "get">,
  machines: readonly Machine[],
): Promise<readonly ControlPlaneMachine[]> {
  return Promise.all(
    machines.map(async (machine) => {
      const [infraMachine, config] = await Promise.all([
        read.get(SimMachine, objectKeyOf(machine)),
        read.get(SimBootstrapConfig, objectKeyOf(machine)),
      ]);
      const own = <T extends SimMachine | SimBootstrapConfig>(object: T | undefined) =>
        object !== undefined && controllerOf(object)?.uid === machine.metadata.uid ? object : undefined;
      return { machine, infraMachine: own(infraMachine), config: own(config) };
    }),
  );
}

/** Reads both templates by snapshots, in this order; `undefined` for one that does not exist. */
export function readTemplates(
  read: Pick<Reader, "get">,
  { metadata: { namespace = "" } }: AnyControlPlane,
  { spec }: MachineTemplate,
): Promise<readonly [SimMachineTemplate | undefined, SimBootstrapConfigTemplate | undefined]> {
  const { infrastructureRef, bootstrap } = spec;
  return Promise.all([
    read.get(SimMachineTemplate, { namespace, name: infrastructureRef.name }),
    read.get(SimBootstrapConfigTemplate, { namespace, name: bootstrap.configRef?.name ?? "" }),
  ]);
}

/** Says which templates do not exist, in sentences for people. */
export function missingTemplates(
  { spec }: MachineTemplate,
  [infraMachine, config]: Awaited<ReturnType<typeof readTemplates>>,
): readonly string[] {
  const { infrastructureRef, bootstrap } = spec;
  return [
    ...(infraMachine === undefined
      ? [`${infrastructureRef.kind} ${infrastructureRef.name} does not exist`]
      : []),
    ...(config === undefined && bootstrap.configRef !== undefined
      ? [`${bootstrap.configRef.kind} ${bootstrap.configRef.name} does not exist`]
      : []),
  ];
}
