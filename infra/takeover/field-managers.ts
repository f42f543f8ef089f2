import type { KubeObject } from "../../shared/api/kinds.ts";

/** One entry of `metadata.managedFields`. */
interface Entry {
  readonly manager?: string;
  readonly time?: string;
}

/** Returns the field managers of an object that was read live, each once. */
export function fieldManagersOf(object: KubeObject): readonly string[] {
  return [...new Set(entriesOf(object).flatMap(({ manager }) => manager ?? []))];
}

/** Returns `<uid> <manager> <time>` of each entry of these managers. */
export function writesOf(object: KubeObject, managers: ReadonlySet<string>): readonly string[] {
  return entriesOf(object)
    .filter(({ manager = "" }) => managers.has(manager))
    .map(({ manager, time }) => `${object.metadata.uid} ${manager} ${time}`);
}

function entriesOf({ metadata }: KubeObject): readonly Entry[] {
  const entries: unknown = Reflect.get(metadata, "managedFields");
  return Array.isArray(entries) ? entries : [];
}
