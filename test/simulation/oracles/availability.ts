import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import type { MachineSet } from "../../../shared/api/machineset.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import type { World } from "../play/world.ts";
import type { Oracle } from "./oracle.ts";
import { controllerUidOf, limitsOf, MACHINES, SETS, storedOf } from "./rollout-facts.ts";
import { ROLLED_OUT } from "./rollouts.ts";
import { onWrite } from "./sent-write.ts";

const DEPLOYMENTS = "cluster.x-k8s.io/machinedeployments";
/** Until then a rollout may still act on what it has known before a Machine failed or a user wanted more. */
const KNOWN_FOR_MS = 600_000;

/** Something by which fewer Machines are available than a deployment wants, and that it has not done. */
interface Mishap {
  readonly at: number;
  readonly deployment: string | undefined;
  /** Of a Machine that was deleted, maybe by its set. */
  readonly deleted?: string | undefined;
}

/** MachineDeployments: F-49. */
export const availability: readonly Oracle[] = [
  {
    number: "F-49",
    title: "a rollout deletes no available Machine that is needed",
    needs: ROLLED_OUT,
    watch({ world, onChange, violated, evaluated }) {
      const { kernel, management } = world;
      const mishaps: Mishap[] = [];
      const wishes: (Omit<Mishap, "deleted"> & { readonly least: number })[] = [];
      const byItsSet = new Set<string>();
      const deploymentOf = deploymentsOf(world);
      management.onRestore(() => mishaps.push({ at: kernel.now, deployment: undefined }));
      onChange(({ type, before, after }) => {
        const at = kernel.now;
        if (type === DEPLOYMENTS && after !== undefined)
          wishes.push({
            at,
            deployment: after.metadata.uid,
            least: limitsOf(after as MachineDeployment).least,
          });
        if (type !== MACHINES || before === undefined || !isAvailable(before as Machine)) return;
        const deployment = deploymentOf(before as Machine);
        const isGoing = after === undefined || after.metadata.deletionTimestamp !== undefined;
        if (isGoing) mishaps.push({ at, deployment, deleted: before.metadata.uid });
        else if (!isAvailable(after as Machine)) mishaps.push({ at, deployment });
      });
      onWrite(world, ({ functionName, verb, place, body }) => {
        if (functionName !== "machineset-machines" || verb !== "delete" || place.type !== MACHINES) return;
        const { uid = "" } =
          (body as { readonly preconditions?: { readonly uid?: string } }).preconditions ?? {};
        const known = mishaps.findLast(({ deleted }) => deleted === uid);
        byItsSet.add(uid);
        if (known?.deployment === undefined) return;
        evaluated();
        const isRecent = ({ at, deployment = known.deployment }: Omit<Mishap, "deleted">) =>
          deployment === known.deployment && at > kernel.now - KNOWN_FOR_MS;
        const broken = mishaps.filter((one) => isRecent(one) && !byItsSet.has(one.deleted ?? "")).length;
        const own = wishes.filter(({ deployment }) => deployment === known.deployment);
        const last = own.findLast(({ at }) => at <= kernel.now - KNOWN_FOR_MS);
        const least = Math.min(
          ...[...own.filter(isRecent), ...(last === undefined ? [] : [last])].map((one) => one.least),
        );
        const left = storedOf<Machine>(world, MACHINES).filter(
          (machine) => isAvailable(machine) && deploymentOf(machine) === known.deployment,
        ).length;
        if (left + broken < least)
          violated(`${place.name} is deleted: ${left} are available, least are ${least}, ${broken} are lost`);
      });
    },
  },
];

function isAvailable({ metadata, status }: Machine): boolean {
  const isThere = conditionOf(status?.conditions, "Available")?.status === "True";
  return isThere && metadata.deletionTimestamp === undefined;
}

/** The deployment of a Machine, also when its set has gone since. */
function deploymentsOf(world: World): (machine: Machine) => string | undefined {
  const owners = new Map<string, string | undefined>();
  return (machine) => {
    const set = controllerUidOf(machine, "MachineSet");
    const found = storedOf<MachineSet>(world, SETS).find(({ metadata }) => metadata.uid === set);
    if (found !== undefined) owners.set(set ?? "", controllerUidOf(found, "MachineDeployment"));
    return owners.get(set ?? "");
  };
}
