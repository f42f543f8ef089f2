import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachinePool } from "../../../shared/api/machinepool.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import { parseKey } from "../../../shared/runtime/queue/key.ts";
import type { Oracle } from "./oracle.ts";
import { lastRead } from "./run-reads.ts";
import { onWrite } from "./sent-write.ts";
import { serverHistoryOf } from "./server-history.ts";

const OPT_OUTS = ["cluster.x-k8s.io/skip-remediation", "cluster.x-k8s.io/paused"];

const MACHINES = "cluster.x-k8s.io/machines";
const POOLS = "cluster.x-k8s.io/machinepools";

/** Machines that are taken down because they are unhealthy: F-36, F-38. */
export const remediation: readonly Oracle[] = [
  {
    number: "F-36",
    title: "a Machine that has opted out, is paused or is going anyway is not remediated",
    needs: { workloads: ["W-13"], why: "no Machine is unhealthy" },
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
    needs: { workloads: ["W-13"], why: "no Machine is unhealthy" },
    watch({ world: { management }, onChange, violated, evaluated }) {
      onChange(({ type, before, after }) => {
        const machine = after as Machine | undefined;
        if (type !== MACHINES || machine === undefined || !isMarked(machine)) return;
        if (before !== undefined && isMarked(before as Machine)) return;
        const owner = poolNameOf(machine) ?? "";
        const { namespace } = machine.metadata;
        const pool = management.storage.collection(POOLS).find(`${namespace}/${owner}`);
        const limit = limitOf(pool as unknown as MachinePool | undefined);
        if (limit === undefined) return;
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
  {
    number: "F-38",
    title: "no Machine is deferred while fewer are remediated than the pool allows",
    needs: { workloads: ["W-13"], why: "no Machine is unhealthy" },
    watch({ world, violated, evaluated }) {
      const history = serverHistoryOf(world);
      world.runs.onEnd(({ functionName, key, startedInStep, record, outcome }) => {
        const parts = parseKey(key);
        if (functionName !== "machinepool-remediate" || parts === undefined || outcome.type !== "ok") return;
        const deferred = (record?.writes ?? []).filter(({ body }) => isDeferral(body));
        if (deferred.length === 0 || history.isLostSince(startedInStep)) return;
        const pools = history.since(POOLS, `${parts.namespace}/${parts.name}`, startedInStep);
        const limits = pools.map((pool) => limitOf(pool as MachinePool | undefined) ?? 0);
        evaluated();
        const marked = history
          .keys(MACHINES)
          .flatMap(
            (machine) => history.since(MACHINES, machine, startedInStep) as readonly (Machine | undefined)[],
          )
          .filter(
            (machine) => machine !== undefined && isMarked(machine) && poolNameOf(machine) === parts.name,
          )
          .map((machine) => machine?.metadata.uid);
        const count = new Set(marked).size;
        if (count < Math.min(...limits))
          violated(
            `${key} defers a Machine while ${count} are remediated, allowed are ${Math.min(...limits)}`,
          );
      });
    },
  },
];

/** Machines of a pool that may be remediated at a time, as its annotation says, 1 without; a share of its replicas rounded up. */
function limitOf(pool: MachinePool | undefined): number | undefined {
  const text = pool?.metadata.annotations?.["capstan.dev/remediation-max-in-flight"] ?? "1";
  if (/^[0-9]{1,9}$/.test(text)) return Number.parseInt(text, 10);
  if (!/^[0-9]{1,9}%$/.test(text)) return undefined;
  const hundredths = Number.parseInt(text, 10) * (pool?.spec.replicas ?? 1);
  return (hundredths - (hundredths % 100)) / 100 + (hundredths % 100 > 0 ? 1 : 0);
}

function isDeferral(body: unknown): boolean {
  return JSON.stringify(body ?? "").includes('"reason":"RemediationDeferred"');
}

/** Its deletion has been decided on because it is unhealthy. */
function isMarked({ status }: Machine): boolean {
  const { reason } = conditionOf(status?.conditions, "OwnerRemediated") ?? {};
  return reason === "MachineDeleting";
}

function poolNameOf({ metadata }: Machine): string | undefined {
  return metadata.ownerReferences?.find(({ kind }) => kind === "MachinePool")?.name;
}
