import type { Node } from "../../../shared/api/core.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { MachinePool } from "../../../shared/api/machinepool.ts";
import type { AttemptRecord } from "../../../shared/runtime/attempt-record.ts";
import { parseKey } from "../../../shared/runtime/key.ts";
import { sameJson } from "../../../shared/runtime/path.ts";
import { nodesOf } from "./known-nodes.ts";
import type { Oracle } from "./oracle.ts";
import { lastRead } from "./run-reads.ts";
import { onWrite, type SentWrite } from "./sent-write.ts";

const POOLS = "cluster.x-k8s.io/machinepools";

/** Nodes and who may take them away: F-21, F-22, F-40, F-41. */
export const nodes: readonly Oracle[] = [
  {
    number: "F-21",
    title: "a Node that lives and is listed stays in the refs of its pool",
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
          if (known.ever(uid)?.name !== name) tell(`nobody has seen Node ${name} with uid ${uid}`);
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
    number: "F-41",
    title: "of a living pool only Nodes go that were referenced and whose instance has left",
    watch({ world, violated, evaluated }) {
      onWrite(world, (write) => {
        if (write.verb !== "delete" || write.place.type !== "/nodes") return;
        const wrong = whyKept(write);
        evaluated();
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
  if (pool.metadata.deletionTimestamp !== undefined) return undefined;
  if (!pool.status?.nodeRefs?.some(({ name }) => name === place.name)) return "it was not referenced";
  const providerID = node?.spec?.providerID ?? "";
  const { providerIDList = [], replicas } = pool.spec;
  if (providerID === "") return "it has no provider ID";
  if (providerIDList.includes(providerID)) return "its instance is listed";
  return providerIDList.length === 0 && replicas !== 0 ? "the list is empty" : undefined;
}
