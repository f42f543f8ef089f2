import type { ContractReference } from "../../../shared/api/kinds.ts";
import type { MachinePool } from "../../../shared/api/machinepool.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import type { ObservedRun } from "../ports/observed-runs.ts";
import { nodesOf } from "./known-nodes.ts";
import type { Oracle, StoredChange, Watched } from "./oracle.ts";
import { onWrite } from "./sent-write.ts";
import { serverHistoryOf } from "./server-history.ts";

const POOLS = "cluster.x-k8s.io/machinepools";

/** MachinePools: F-42 to F-44. */
export const pools: readonly Oracle[] = [
  onPool("F-42", "0 <= available <= ready <= replicas", ({ after }, { violated, evaluated }) => {
    const { readyReplicas: ready = 0, availableReplicas: available = 0, replicas } = after?.status ?? {};
    if (replicas === undefined) return;
    evaluated();
    if (available < 0 || ready < available || replicas < ready)
      violated(`${replicas} replicas, ready ${ready}, available ${available}`);
    const unavailable = after?.status?.deprecated?.v1beta1?.unavailableReplicas ?? 0;
    if (unavailable < 0) violated(`unavailable ${unavailable}`);
  }),
  {
    number: "F-43",
    title: "the finalizer goes after bootstrap, infrastructure and Nodes",
    needs: { workloads: ["W-04", "W-13"], why: "no pool is deleted" },
    watch({ world, violated, evaluated }) {
      const known = nodesOf(world);
      const isUndone = undoneByRestores(world);
      onWrite(world, ({ functionName, verb, body, answer, run }) => {
        if (functionName !== "machinepool-delete" || verb !== "patch") return;
        const isRelease = JSON.stringify(body).includes('{"op":"remove","path":"/metadata/finalizers');
        if (!isRelease || answer === undefined || isUndone(run)) return;
        evaluated();
        const pool = answer as MachinePool;
        // By the clock of who did it, which may be wrong by 30 s.
        const now = run?.record?.clock?.getTime() ?? world.kernel.now;
        const nodes = isWithoutNodes(pool, world, now) ? [] : (pool.status?.nodeRefs ?? []);
        const left = [
          ...ownRefs(pool, world).map(({ kind, name }) => `${kind} ${name}`),
          ...nodes
            .filter(({ uid = "" }) => known.living(uid) !== undefined)
            .map(({ name }) => `Node ${name}`),
        ];
        for (const what of left) violated(`MachinePool ${pool.metadata.name}: ${what} is still there`);
      });
    },
  },
  onPool("F-44", "a data secret name is not replaced by an empty one", ({ before, after }, watched) => {
    if (before === undefined || after === undefined || before.metadata.uid !== after.metadata.uid) return;
    const had = before.spec.template.spec.bootstrap.dataSecretName ?? "";
    if (had === "") return;
    watched.evaluated();
    if ((after.spec.template.spec.bootstrap.dataSecretName ?? "") === "") watched.violated(`${had} is gone`);
  }),
  {
    number: "F-44",
    title: "a function sends no data secret name but that of the config which the pool references",
    watch({ world, violated, evaluated }) {
      const history = serverHistoryOf(world);
      onWrite(world, ({ run, place, body, answer, title }) => {
        if (place.type !== POOLS || place.subresource !== "" || run === undefined) return;
        const sent = sentSecretName(body);
        if (sent === undefined || history.isLostSince(run.startedInStep)) return;
        evaluated();
        const { configRef } = (answer as MachinePool).spec.template.spec.bootstrap;
        const config = `${configRef?.apiGroup}/${configRef?.kind.toLowerCase()}s`;
        const known = history
          .since(config, `${place.namespace}/${configRef?.name}`, 0)
          .map(
            (each) =>
              (each as { readonly status?: { readonly dataSecretName?: string } } | undefined)?.status,
          );
        if (!known.some((status) => status?.dataSecretName === sent))
          violated(`"${sent}" is not a name of its data: ${title}`);
      });
    },
  },
];

/** The name that a write puts there; empty when it takes it away, undefined when it leaves it as it is. */
function sentSecretName(body: unknown): string | undefined {
  if (!Array.isArray(body)) return undefined;
  const operations = body as readonly PatchOperation[];
  const found = operations.findLast(
    ({ op, path }) => op !== "test" && path.endsWith("/spec/bootstrap/dataSecretName"),
  );
  if (found === undefined) return undefined;
  return "value" in found ? String(found.value) : "";
}

/** Whether what a run has seen is no longer what there is, because the server was restored since. */
function undoneByRestores({
  management,
  kernel,
}: Watched["world"]): (run: ObservedRun | undefined) => boolean {
  let { storage } = management;
  let restoredAt = Number.NEGATIVE_INFINITY;
  management.onRestore(() => {
    storage = management.storage;
    restoredAt = kernel.now;
  });
  return (run) => management.storage !== storage || (run?.startedAt ?? 0) <= restoredAt;
}

/** Returns the referenced objects that exist and belong to it. */
function ownRefs(
  { metadata, spec }: MachinePool,
  { management }: Watched["world"],
): readonly ContractReference[] {
  const { infrastructureRef, bootstrap } = spec.template.spec;
  return [infrastructureRef, bootstrap.configRef].filter((ref) => {
    if (ref === undefined) return false;
    const objects = management.storage.collection(`${ref.apiGroup}/${ref.kind.toLowerCase()}s`);
    const found = objects.find(`${metadata.namespace}/${ref.name}`);
    return found?.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid) === true;
  }) as readonly ContractReference[];
}

/**
 * Returns whether its Nodes are no longer awaited: its Cluster is gone, maybe replaced by another of that
 * name, or the time for them is over.
 */
function isWithoutNodes(
  { metadata, spec }: MachinePool,
  { management }: Watched["world"],
  now: number,
): boolean {
  const cluster = management.storage
    .collection("cluster.x-k8s.io/clusters")
    .find(`${metadata.namespace}/${spec.clusterName}`);
  const { nodeDeletionTimeoutSeconds = 10 } = spec.template.spec.deletion ?? {};
  const endsAt = Date.parse(metadata.deletionTimestamp ?? "") + nodeDeletionTimeoutSeconds * 1_000;
  const isItsOwn = metadata.ownerReferences?.some(({ uid }) => uid === cluster?.metadata.uid) === true;
  return !isItsOwn || (nodeDeletionTimeoutSeconds > 0 && endsAt <= now);
}

interface PoolChange {
  readonly before: MachinePool | undefined;
  readonly after: MachinePool | undefined;
}

function onPool(
  number: string,
  title: string,
  check: (change: PoolChange, watched: Watched) => void,
): Oracle {
  return {
    number,
    title,
    watch(watched) {
      watched.onChange((change: StoredChange) => {
        if (change.type !== POOLS) return;
        const name = (change.after ?? change.before)?.metadata.name;
        const violated = (what: string): void => watched.violated(`MachinePool ${name}: ${what}`);
        check(change as unknown as PoolChange, { ...watched, violated });
      });
    },
  };
}
