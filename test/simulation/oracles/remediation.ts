import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine.ts";
import type { MachinePool } from "../../../shared/api/machinepool.ts";
import { conditionOf } from "../../../shared/rules/conditions.ts";
import { remediationLimit } from "../../../shared/rules/pool-remediation.ts";
import type { Oracle } from "./oracle.ts";
import { lastRead } from "./run-reads.ts";
import { onWrite } from "./sent-write.ts";

const OPT_OUTS = ["cluster.x-k8s.io/skip-remediation", "cluster.x-k8s.io/paused"];

const MACHINES = "cluster.x-k8s.io/machines";
const POOLS = "cluster.x-k8s.io/machinepools";

/** Machines that are taken down because they are unhealthy: F-36, F-38. */
export const remediation: readonly Oracle[] = [
  {
    number: "F-36",
    title: "a Machine that has opted out, is paused or is going anyway is not remediated",
    watch({ world, violated, evaluated }) {
      onWrite(world, ({ verb, place, functionName, run, title }) => {
        if (verb !== "delete" || functionName !== "machinepool-remediate") return;
        const machine: KubeObject | undefined = lastRead(run?.record, "Machine", place, "live");
        evaluated();
        const { annotations, deletionTimestamp } = machine?.metadata ?? {};
        if (deletionTimestamp !== undefined || OPT_OUTS.some((name) => annotations?.[name] !== undefined))
          violated(title);
      });
    },
  },
  {
    number: "F-38",
    title: "no more Machines of a pool are remediated at a time than it says",
    watch({ world: { management }, onChange, violated, evaluated }) {
      onChange(({ type, before, after }) => {
        const machine = after as Machine | undefined;
        if (type !== MACHINES || machine === undefined || !isMarked(machine)) return;
        if (before !== undefined && isMarked(before as Machine)) return;
        const owner = poolNameOf(machine) ?? "";
        const { namespace } = machine.metadata;
        const pool = management.storage.collection(POOLS).find(`${namespace}/${owner}`);
        const limit = pool === undefined ? undefined : remediationLimit(pool as unknown as MachinePool);
        if (typeof limit !== "number") return;
        evaluated();
        const siblings = [...management.storage.collection(MACHINES).values()] as readonly object[];
        const marked = (siblings as readonly Machine[]).filter(
          (each) => isMarked(each) && poolNameOf(each) === owner && each.metadata.namespace === namespace,
        );
        if (marked.length > limit)
          violated(`${marked.length} Machines of ${owner} are remediated, allowed are ${limit}`);
      });
    },
  },
];

/** Its deletion has been decided on because it is unhealthy. */
function isMarked({ status }: Machine): boolean {
  const { reason } = conditionOf(status?.conditions, "OwnerRemediated") ?? {};
  return reason === "MachineDeleting";
}

function poolNameOf({ metadata }: Machine): string | undefined {
  return metadata.ownerReferences?.find(({ kind }) => kind === "MachinePool")?.name;
}
