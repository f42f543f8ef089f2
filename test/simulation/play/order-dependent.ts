import { isObject } from "../../../infra/kube/object-shape.ts";
import type { Listed } from "./state.ts";

/** The pool marks a Node until a Machine claims it, and both mark it in the same way: who came first owns the marks. */
const NODE_MANAGERS: readonly string[] = ["capstan-machine-node", "capstan-machinepool-nodes"];

interface Managed {
  readonly manager?: string;
  readonly fieldsV1?: unknown;
}

/** The same object without what depends on which of two functions came first. */
export function withoutOrder({ type, object }: Listed): Listed {
  if (type !== "workload /nodes") return { type, object };
  const metadata = object.metadata as Marked;
  const managedFields = asOne(metadata.managedFields ?? []);
  return { type, object: { ...object, metadata: { ...metadata, managedFields } as Marked } };
}

type Marked = Listed["object"]["metadata"] & { readonly managedFields?: readonly Managed[] };

function asOne(entries: readonly Managed[]): readonly Managed[] {
  const isOfTwo = ({ manager = "" }: Managed): boolean => NODE_MANAGERS.includes(manager);
  const [first, ...more] = entries.filter(isOfTwo);
  if (first === undefined) return entries;
  const fieldsV1 = more.reduce((all, entry) => merged(all, entry.fieldsV1), first.fieldsV1);
  return [
    ...entries.filter((entry) => !isOfTwo(entry)),
    { ...first, manager: NODE_MANAGERS.join(" "), fieldsV1 },
  ];
}

function merged(a: unknown, b: unknown): unknown {
  if (!isObject(a) || !isObject(b)) return b ?? a;
  const both = new Map<string, unknown>(Object.entries(a));
  for (const [name, value] of Object.entries(b)) both.set(name, merged(both.get(name), value));
  return Object.fromEntries(both);
}
