import { type KubeObject, MANAGEMENT } from "../../../shared/api/kinds.ts";
import type { TypeKey } from "../../../shared/runtime/ports.ts";
import { anyKindOf } from "../../support/all-kinds.ts";
import type { World } from "../play/world.ts";

/** The newest snapshot of every object of the management server that was shown since its kind was last lost. */
export interface Shown {
  /** By type (`cluster.x-k8s.io/clusters`) and `<namespace>/<name>`. */
  find(type: string, key: string): KubeObject | undefined;
}

export function createShown(store: World["store"]): Shown {
  const shown = new Map<string, KubeObject>();
  store.onShown(({ type, before, after }) => {
    const object = after ?? before;
    if (type.cluster !== MANAGEMENT || object === undefined) return;
    const { namespace = "", name } = object.metadata;
    const title = `${titleOf(type)} ${namespace}/${name}`;
    if (after === undefined) shown.delete(title);
    else shown.set(title, after);
  });
  store.onWipe(() => shown.clear());
  store.onDrop((type) => {
    if (type.cluster !== MANAGEMENT) return;
    const start = `${titleOf(type)} `;
    for (const title of shown.keys()) if (title.startsWith(start)) shown.delete(title);
  });
  return { find: (type, key) => shown.get(`${type} ${key}`) };
}

function titleOf({ group, kind }: TypeKey): string {
  const { plural = `${kind.toLowerCase()}s` } = anyKindOf(group, kind) ?? {};
  return `${group}/${plural}`;
}
