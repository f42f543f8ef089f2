import type { MachinePool } from "../../../shared/api/machinepool.ts";
import type { Oracle, StoredChange, Watched } from "./oracle.ts";

const POOLS = "cluster.x-k8s.io/machinepools";

/** MachinePools: F-42 to F-44. */
export const pools: readonly Oracle[] = [
  onPool("F-42", "0 <= available <= ready <= replicas", ({ after }, violated) => {
    const { readyReplicas: ready = 0, availableReplicas: available = 0 } = after?.status ?? {};
    if (available < 0 || ready < available) violated(`ready ${ready}, available ${available}`);
  }),
  onPool(
    "F-43",
    "the finalizer goes after bootstrap and infrastructure",
    ({ before, after }, violated, world) => {
      if (before === undefined || after !== undefined) return;
      const { infrastructureRef, bootstrap } = before.spec.template.spec;
      for (const ref of [infrastructureRef, bootstrap.configRef]) {
        if (ref === undefined) continue;
        const type = `${ref.apiGroup}/${ref.kind.toLowerCase()}s`;
        const key = `${before.metadata.namespace}/${ref.name}`;
        const left = world.management.storage.collection(type).find(key);
        const isOurs = left?.metadata.ownerReferences?.some(({ uid }) => uid === before.metadata.uid);
        if (isOurs) violated(`${ref.kind} ${ref.name} is still there`);
      }
    },
  ),
  onPool("F-44", "a data secret name is not replaced by an empty one", ({ before, after }, violated) => {
    if (before?.metadata.uid !== after?.metadata.uid) return;
    const had = before?.spec.template.spec.bootstrap.dataSecretName ?? "";
    const has = after?.spec.template.spec.bootstrap.dataSecretName ?? "";
    if (had !== "" && has === "") violated(`${had} is gone`);
  }),
];

interface PoolChange {
  readonly before: MachinePool | undefined;
  readonly after: MachinePool | undefined;
}

function onPool(
  number: string,
  title: string,
  check: (change: PoolChange, violated: (what: string) => void, world: Watched["world"]) => void,
): Oracle {
  return {
    number,
    title,
    watch({ onChange, violated, world }) {
      onChange((change: StoredChange) => {
        if (change.type !== POOLS) return;
        const name = (change.after ?? change.before)?.metadata.name;
        check(change as unknown as PoolChange, (what) => violated(`MachinePool ${name}: ${what}`), world);
      });
    },
  };
}
