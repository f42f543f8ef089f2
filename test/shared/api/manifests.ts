import { readFile } from "node:fs/promises";
import { loadAll } from "js-yaml";

/** The objects of a manifest in `manifests/`: what users of Cluster API apply. */
export async function manifest(name: string): Promise<readonly unknown[]> {
  const text = await readFile(new URL(`manifests/${name}`, import.meta.url), "utf8");
  return loadAll(text);
}

/** A copy of `object` with the value at a JSON-pointer-like path replaced; `undefined` removes it. */
export function changed(object: unknown, pointer: string, value: unknown): unknown {
  const copy: unknown = structuredClone(object);
  const segments = pointer.split("/");
  const last = segments.pop() ?? "";
  const parent = segments.reduce<unknown>((at, segment) => Reflect.get(Object(at), segment), copy);
  if (value === undefined) Reflect.deleteProperty(Object(parent), last);
  else Reflect.set(Object(parent), last, value);
  return copy;
}
