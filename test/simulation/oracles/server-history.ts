import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { World } from "../play/world.ts";

interface Version {
  /** Of the kernel, at which it was stored. */
  readonly step: number;
  /** Undefined: deleted. */
  readonly object: KubeObject | undefined;
}

/** Every version of every object of the management server, as it was stored. */
export interface ServerHistory {
  /**
   * Returns the objects under this key (`<namespace>/<name>`) after that step of the kernel and since, in order;
   * undefined = it was not there.
   */
  since(type: string, key: string, step: number): readonly (KubeObject | undefined)[];
  /** Keys of a type that have ever been there. */
  keys(type: string): readonly string[];
  /** Whether the server was restored at or after that step: what was there then is not known here. */
  isLostSince(step: number): boolean;
}

const known = new WeakMap<World, ServerHistory>();

/** Returns the same instance for all callers in one world; call it before the world starts. */
export function serverHistoryOf(world: World): ServerHistory {
  const already = known.get(world);
  if (already !== undefined) return already;
  const { management, kernel } = world;
  let restoredIn = -1;
  const types = new Map<string, Map<string, Version[]>>();
  const versionsOf = (type: string, key: string): Version[] => {
    const keys = types.get(type) ?? new Map<string, Version[]>();
    types.set(type, keys);
    const versions = keys.get(key) ?? [];
    keys.set(key, versions);
    return versions;
  };
  management.onChange((type, { type: change, key, object }) => {
    const after = change === "DELETED" ? undefined : (object as KubeObject);
    versionsOf(type, key).push({ step: kernel.steps, object: after });
  });
  management.onRestore(() => {
    restoredIn = kernel.steps;
    types.clear();
    for (const [type, collection] of management.storage.collections)
      for (const object of collection.values()) {
        const { namespace = "", name } = object.metadata;
        versionsOf(type, `${namespace}/${name}`).push({ step: -1, object: object as KubeObject });
      }
  });
  const history: ServerHistory = {
    since(type, key, step) {
      const versions = types.get(type)?.get(key) ?? [];
      const then = versions.findLastIndex((version) => version.step <= step);
      const first = then < 0 ? [undefined] : [];
      return [...first, ...versions.slice(Math.max(0, then)).map(({ object }) => object)];
    },
    keys: (type) => [...(types.get(type)?.keys() ?? [])],
    isLostSince: (step) => restoredIn >= step,
  };
  known.set(world, history);
  return history;
}
