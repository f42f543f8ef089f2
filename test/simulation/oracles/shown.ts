import { type KubeObject, MANAGEMENT } from "../../../shared/api/kinds.ts";
import { kindOf } from "../../../shared/api/registry.ts";
import type { World } from "../play/world.ts";

/** The newest snapshot of every object of the management server that was shown since the read model was last lost. */
export interface Shown {
  /** By type (`cluster.x-k8s.io/clusters`) and `<namespace>/<name>`. */
  find(type: string, key: string): KubeObject | undefined;
}

export function createShown(store: World["store"]): Shown {
  const shown = new Map<string, KubeObject>();
  store.onShown(({ type: { cluster, group, kind }, before, after }) => {
    const object = after ?? before;
    if (cluster !== MANAGEMENT || object === undefined) return;
    const { plural = `${kind.toLowerCase()}s` } = kindOf(group, kind) ?? {};
    const { namespace = "", name } = object.metadata;
    const title = `${group}/${plural} ${namespace}/${name}`;
    if (after === undefined) shown.delete(title);
    else shown.set(title, after);
  });
  const forget = (): void => shown.clear();
  store.onWipe(forget);
  store.onDrop(forget);
  return { find: (type, key) => shown.get(`${type} ${key}`) };
}
