import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import type { MachineSet } from "../../../shared/api/machineset.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import type { World } from "../play/world.ts";
import type { Oracle, Watched } from "./oracle.ts";
import { controllerUidOf, limitsOf, MACHINES, SETS, sameTemplate, storedOf } from "./rollout-facts.ts";
import { onWrite, type SentWrite } from "./sent-write.ts";
import { type ServerHistory, serverHistoryOf } from "./server-history.ts";

const DEPLOYMENTS = "cluster.x-k8s.io/machinedeployments";
const REVISION = "machinedeployment.clusters.x-k8s.io/revision";
const AFTER = "capstan.dev/rollout-after";
export const ROLLED_OUT = { workloads: ["W-31", "W-32"], why: "no MachineDeployment rolls out" } as const;

/** Sets of MachineDeployments: F-49. */
export const rollouts: readonly Oracle[] = [
  {
    number: "F-49",
    title: "one set per template and restart",
    needs: ROLLED_OUT,
    watch({ world, onChange, violated, evaluated }) {
      onChange(({ type, before, after }) => {
        const set = after as MachineSet | undefined;
        const owner = set === undefined ? undefined : controllerUidOf(set, "MachineDeployment");
        if (type !== SETS || before !== undefined || set === undefined || owner === undefined) return;
        evaluated();
        const twin = setsOf(world, owner).find((one) => isTwin(one, set));
        if (twin !== undefined)
          violated(`${set.metadata.name} is made beside ${twin.metadata.name}, which has the same template`);
      });
    },
  },
  onSize("no set makes a deployment larger than its surge allows", (size, { world, violated }) => {
    const { set, from, to, deployments, least } = size;
    if (to <= from || deployments.some(({ spec }) => spec.paused === true)) return;
    const most = Math.max(...deployments.map((one) => limitsOf(one).most));
    const others = setsOf(world, controllerUidOf(set, "MachineDeployment")).filter(
      ({ metadata }) => metadata.uid !== set.metadata.uid,
    );
    const total = others.reduce((so, one) => so + least(one), to);
    if (total > most) violated(`${set.metadata.name} gets ${to}, which makes ${total}, at most ${most}`);
  }),
  onSize("only the set of the wanted template grows, and not above what is wanted", (size, { violated }) => {
    const { set, from, to, deployments } = size;
    if (to <= from || deployments.some(({ spec }) => spec.paused === true)) return;
    const wanted = deployments.filter((one) => sameTemplate(one, set));
    const most = Math.max(...wanted.map(({ spec }) => spec.replicas ?? 1));
    if (to > most) violated(`${set.metadata.name} grows to ${to}, of its template are wanted ${most}`);
  }),
  onSize("a size is written for the set as its run has listed it", ({ set, write }, { violated }) => {
    if (write.verb !== "patch") return;
    const operations = write.body as readonly PatchOperation[];
    if (!operations.some(({ op, path }) => op === "test" && path === "/metadata/resourceVersion"))
      violated(`the size of ${set.metadata.name} is written whatever its version: ${write.title}`);
  }),
  onSize("no set is made while rollouts are paused", ({ set, write, deployments }, { violated }) => {
    if (write.verb === "create" && deployments.every(({ spec }) => spec.paused === true))
      violated(`${set.metadata.name} is made although rollouts are paused`);
  }),
  {
    number: "F-49",
    title: "a set is removed once it has no Machine",
    needs: ROLLED_OUT,
    watch({ world, violated, evaluated }) {
      onWrite(world, ({ functionName, verb, place }) => {
        if (functionName !== "machinedeployment-sets" || verb !== "delete") return;
        evaluated();
        const set = storedOf<MachineSet>(world, SETS).find(({ metadata }) => metadata.name === place.name);
        // One that was being deleted when its set was recreated has no set any more: nothing adopts it.
        const isOfSet = (uid: string, { deletionTimestamp }: Machine["metadata"]) =>
          uid === set?.metadata.uid || deletionTimestamp === undefined;
        const left = storedOf<Machine>(world, MACHINES).filter(({ metadata }) =>
          metadata.ownerReferences?.some(
            ({ kind, name, uid }) => kind === "MachineSet" && name === place.name && isOfSet(uid, metadata),
          ),
        );
        if (left.length > 0) violated(`${place.name} is removed with ${left.length} Machines`);
      });
    },
  },
  {
    number: "F-49",
    title: "in the end a deployment has the revision of its set, which is the highest",
    needs: ROLLED_OUT,
    watch({ world, onRest, violated, evaluated }) {
      onRest(() => {
        for (const deployment of storedOf<MachineDeployment>(world, DEPLOYMENTS)) {
          const sets = setsOf(world, deployment.metadata.uid);
          const current = sets.find((set) => sameTemplate(deployment, set));
          if (current === undefined) continue;
          evaluated();
          const revisionOf = ({ metadata }: MachineSet | MachineDeployment) =>
            Number(metadata.annotations?.[REVISION]);
          const highest = Math.max(...sets.map(revisionOf));
          for (const one of [deployment, current])
            if (revisionOf(one) !== highest)
              violated(`${one.metadata.name} has revision ${revisionOf(one)}, the highest is ${highest}`);
        }
      });
    },
  },
];

function setsOf(world: World, owner: string | undefined): readonly MachineSet[] {
  return storedOf<MachineSet>(world, SETS).filter(
    (set) => owner !== undefined && controllerUidOf(set, "MachineDeployment") === owner,
  );
}

/** Whether two sets of one deployment are for the same template; one that is being deleted does not count. */
function isTwin(one: MachineSet, other: MachineSet): boolean {
  return (
    one.metadata.uid !== other.metadata.uid &&
    one.metadata.deletionTimestamp === undefined &&
    one.metadata.annotations?.[AFTER] === other.metadata.annotations?.[AFTER] &&
    sameTemplate(one, other)
  );
}

/** A set gets a size from its deployment. */
interface NewSize {
  readonly write: SentWrite;
  readonly set: MachineSet;
  /** 0 for a set that is made. */
  readonly from: number;
  readonly to: number;
  /** The deployment in every version that its run may have read. */
  readonly deployments: readonly MachineDeployment[];
  /** The least of size and Machines, whichever is more, that its run may have read of another set. */
  readonly least: (other: MachineSet) => number;
}

function onSize(title: string, check: (size: NewSize, watched: Watched) => void): Oracle {
  return {
    number: "F-49",
    title,
    needs: ROLLED_OUT,
    watch(watched) {
      const { world, evaluated } = watched;
      const history = serverHistoryOf(world);
      onWrite(world, (write) => {
        const size = sizeIn(write, history);
        if (size === undefined) return;
        evaluated();
        check(size, watched);
      });
    },
  };
}

function sizeIn(write: SentWrite, history: ServerHistory): NewSize | undefined {
  const { functionName, verb, place, body, answer, run, isLate } = write;
  const isSize = verb === "create" || (verb === "patch" && JSON.stringify(body).includes('"/spec/replicas"'));
  if (functionName !== "machinedeployment-sets" || place.type !== SETS || !isSize || isLate) return undefined;
  const since = run?.startedInStep ?? 0;
  const set = answer as MachineSet | undefined;
  const owner = set?.metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (set === undefined || owner === undefined || history.isLostSince(since)) return undefined;
  const { namespace = "", name } = set.metadata;
  const versionsOf = <T>(type: string, object: string) =>
    history.since(type, `${namespace}/${object}`, since) as readonly unknown[] as readonly (T | undefined)[];
  const before = history.since(SETS, `${namespace}/${name}`, -1).at(-2) as MachineSet | undefined;
  return {
    write,
    set,
    from: before?.spec.replicas ?? 0,
    to: set.spec.replicas ?? 0,
    deployments: versionsOf<MachineDeployment>(DEPLOYMENTS, owner.name).filter(
      (version) => version?.metadata.uid === owner.uid,
    ) as readonly MachineDeployment[],
    least: ({ metadata }) =>
      Math.min(
        ...versionsOf<MachineSet>(SETS, metadata.name).map((version) =>
          Math.max(version?.spec.replicas ?? 0, version?.status?.replicas ?? 0),
        ),
      ),
  };
}
