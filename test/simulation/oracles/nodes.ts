import type { Node } from "../../../shared/api/core.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { MachinePool } from "../../../shared/api/machinepool.ts";
import { sameJson } from "../../../shared/api/path.ts";
import type { AttemptRecord } from "../../../shared/runtime/attempt-record.ts";
import { parseKey } from "../../../shared/runtime/queue/key.ts";
import type { ObservedRun } from "../ports/observed-runs.ts";
import { nodesOf } from "./known-nodes.ts";
import type { Oracle } from "./oracle.ts";
import { lastRead } from "./run-reads.ts";
import { onWrite, type SentWrite } from "./sent-write.ts";
import { type ServerHistory, serverHistoryOf } from "./server-history.ts";

const CLUSTER_NAME_LABEL = "cluster.x-k8s.io/cluster-name";
const POOLS = "cluster.x-k8s.io/machinepools";

/** Nodes and who may take them away: F-21, F-22, F-40, F-41. */
export const nodes: readonly Oracle[] = [
  {
    number: "F-21",
    title: "a Node that lives and is listed stays in the refs of its pool",
    needs: { workloads: ["W-02", "W-11", "W-14"], why: "no Node leaves a living pool" },
    watch({ world, onChange, violated, evaluated }) {
      const known = nodesOf(world);
      onChange(({ type, before, after }) => {
        if (type !== POOLS || before === undefined || after === undefined) return;
        const [was, is] = [before as MachinePool, after as MachinePool];
        if (is.metadata.deletionTimestamp !== undefined) return;
        const kept = new Set(is.status?.nodeRefs?.map(({ uid }) => uid));
        for (const { name, uid = "" } of was.status?.nodeRefs ?? []) {
          if (kept.has(uid)) continue;
          evaluated();
          const node = known.living(uid);
          if (node?.providerID !== undefined && is.spec.providerIDList?.includes(node.providerID))
            violated(`MachinePool ${is.metadata.name} forgets Node ${name}, which is there and listed`);
        }
      });
    },
  },
  {
    number: "F-22",
    title: "an empty list while replicas are wanted retires no Node",
    needs: { faults: ["X-44"], why: "no provider empties its list" },
    watch({ world: { runs }, violated, evaluated }) {
      runs.onEnd(({ functionName, key, record }) => {
        const parts = parseKey(key);
        if (parts === undefined || !functionName.startsWith("machinepool-")) return;
        const pool = lastRead(record, "MachinePool", parts) as MachinePool | undefined;
        if (pool === undefined || !listsNothing(pool, record)) return;
        evaluated();
        const writes =
          record?.writes.filter(({ verb, kind }) => verb === "delete" && kind.kind === "Node") ?? [];
        for (const { key: node } of writes) violated(`${functionName} deletes Node ${node.name}`);
      });
    },
  },
  {
    number: "F-40",
    title: "refs name Nodes that have been there, in the order of the list, retired ones last",
    watch({ world, onChange, violated, evaluated }) {
      const known = nodesOf(world);
      onChange(({ type, before, after }) => {
        const pool = after as MachinePool | undefined;
        const refs = pool?.status?.nodeRefs ?? [];
        const earlier = (before as MachinePool | undefined)?.status?.nodeRefs;
        if (type !== POOLS || pool === undefined || refs.length === 0) return;
        evaluated();
        const tell = (what: string): void => violated(`MachinePool ${pool.metadata.name}: ${what}`);
        for (const { name, uid = "" } of refs)
          if (known.ever(uid)?.name !== name) tell(`Node ${name} with uid ${uid} has never existed`);
        const list = pool.spec.providerIDList ?? [];
        const places = refs.map(({ uid = "" }) => {
          const place = list.indexOf(known.ever(uid)?.providerID ?? "");
          return place < 0 ? list.length : place;
        });
        // A status is about the list of its generation; refs that it only keeps are about an earlier one.
        if (pool.status?.observedGeneration !== pool.metadata.generation || sameJson(refs, earlier)) return;
        if (places.some((place, index) => index > 0 && place < (places[index - 1] ?? 0)))
          tell(`refs are not in the order of the list: ${refs.map(({ name }) => name).join()}`);
      });
    },
  },
  {
    number: "F-40",
    title: "at rest no ref names a Node of an instance that only another pool lists",
    needs: {
      workloads: [
        "W-01",
        "W-02",
        "W-03",
        "W-05",
        "W-11",
        "W-12",
        "W-14",
        "W-15",
        "W-16",
        "W-18",
        "W-19",
        "W-20",
      ],
      why: "no pool is left",
    },
    watch({ world, onRest, violated, evaluated }) {
      const known = nodesOf(world);
      onRest(() => {
        const pools = [...world.management.storage.collection(POOLS).values()] as unknown as MachinePool[];
        for (const pool of pools)
          for (const { name, uid = "" } of pool.status?.nodeRefs ?? []) {
            const { providerID = "" } = known.living(uid) ?? {};
            const listers = pools.filter((each) => listedBy(each).includes(providerID));
            evaluated();
            if (listers.length > 0 && !listers.includes(pool))
              violated(
                `MachinePool ${pool.metadata.name} names Node ${name}, which is ${listers[0]?.metadata.name}'s`,
              );
          }
      });
    },
  },
  {
    number: "F-41",
    title: "of a living pool only Nodes go that were referenced and whose instance has left every list",
    needs: { workloads: ["W-02", "W-04", "W-11", "W-13", "W-14"], why: "no Node is deleted" },
    watch({ world, violated, evaluated }) {
      const known = nodesOf(world);
      const history = serverHistoryOf(world);
      onWrite(world, (write) => {
        if (write.verb !== "delete" || write.place.type !== "/nodes") return;
        evaluated();
        const { preconditions } = (write.body ?? {}) as {
          readonly preconditions?: { readonly uid?: string };
        };
        const { providerID = "" } = known.ever(preconditions?.uid ?? "") ?? {};
        const wrong = whyKept(write) ?? whyListed(write.run, { name: write.place.name, providerID }, history);
        if (wrong !== undefined) violated(`${wrong}: ${write.title}`);
      });
    },
  },
];

/** It or its provider lists nothing, although it wants replicas and has Nodes. */
function listsNothing(pool: MachinePool, record: AttemptRecord | undefined): boolean {
  const { metadata, spec, status } = pool;
  if (metadata.deletionTimestamp !== undefined || spec.replicas === 0) return false;
  if ((status?.nodeRefs ?? []).length === 0) return false;
  const { kind, name } = spec.template.spec.infrastructureRef;
  const provider = lastRead(record, kind, { namespace: metadata.namespace ?? "", name });
  return [pool, provider].some((lister) => lister !== undefined && listedBy(lister).length === 0);
}

function listedBy(object: KubeObject): readonly string[] {
  return (
    (object as { readonly spec?: Pick<MachinePool["spec"], "providerIDList"> }).spec?.providerIDList ?? []
  );
}

/** Why the Node should have stayed, by what the run has read last of it and its pool. */
function whyKept({ run, place }: SentWrite): string | undefined {
  const parts = parseKey(run?.key ?? "");
  if (parts?.kind !== "MachinePool") return undefined;
  const pool = lastRead(run?.record, "MachinePool", parts, "live") as MachinePool | undefined;
  const node = lastRead(run?.record, "Node", { ...place, namespace: "" }, "live") as Node | undefined;
  if (pool === undefined) return "the pool was not read live";
  return whyKeptBy(pool, { name: place.name, providerID: node?.spec?.providerID ?? "" });
}

interface DeletedNode {
  readonly name: string;
  readonly providerID: string;
}

function whyKeptBy({ metadata, spec, status }: MachinePool, { name, providerID }: DeletedNode) {
  if (metadata.deletionTimestamp !== undefined) return undefined;
  if (!status?.nodeRefs?.some((ref) => ref.name === name)) return "it was not referenced";
  const { providerIDList = [], replicas } = spec;
  if (providerID === "") return "it has no provider ID";
  if (providerIDList.includes(providerID)) return "its instance is listed";
  return providerIDList.length === 0 && replicas !== 0 ? "the list is empty" : undefined;
}

/**
 * Why the Node should have stayed, by what the management server had from the beginning of the run to the deletion: a
 * run may have read any of these versions, so each of them has to object.
 */
function whyListed(
  run: ObservedRun | undefined,
  node: DeletedNode,
  history: ServerHistory,
): string | undefined {
  const parts = parseKey(run?.key ?? "");
  if (run === undefined || parts?.kind !== "MachinePool" || history.isLostSince(run.startedInStep))
    return undefined;
  const key = `${parts.namespace}/${parts.name}`;
  const versions = history.since(POOLS, key, run.startedInStep) as readonly (MachinePool | undefined)[];
  const pool = versions.at(-1);
  if (pool === undefined || versions.some((each) => each?.metadata.deletionTimestamp !== undefined))
    return undefined;
  const why = versions.map((each) => (each === undefined ? undefined : whyKeptBy(each, node)));
  if (why.every((each) => each !== undefined)) return `${why.at(-1)} on the server`;
  const { infrastructureRef } = pool.spec.template.spec;
  const provider = `${infrastructureRef.apiGroup}/${infrastructureRef.kind.toLowerCase()}s`;
  const isListed = (type: string, of: string): boolean =>
    history
      .since(type, of, run.startedInStep)
      .every((each) => each !== undefined && listedBy(each).includes(node.providerID));
  if (isListed(provider, `${parts.namespace}/${infrastructureRef.name}`)) return "its provider lists it";
  const rival = history
    .keys(POOLS)
    .find((other) => other !== key && isListed(POOLS, other) && isOfCluster(pool, other, history, run));
  return rival === undefined ? undefined : `pool ${rival} lists it`;
}

/** Whether the other pool was labelled as one of the same Cluster all the time. */
function isOfCluster(
  pool: MachinePool,
  other: string,
  history: ServerHistory,
  { startedInStep }: ObservedRun,
): boolean {
  return history.since(POOLS, other, startedInStep).every((each) => {
    const { namespace, labels } = each?.metadata ?? {};
    return namespace === pool.metadata.namespace && labels?.[CLUSTER_NAME_LABEL] === pool.spec.clusterName;
  });
}
