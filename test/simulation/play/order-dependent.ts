import { isObject } from "../../../infra/kube/object-shape.ts";
import type { Listed } from "./state.ts";

/** The Machine of a pool has it only when `sim-machine` came before `machine-guard`; `sim-machine` writes no more there. */
const EARLY_FINALIZER = "simmachine.infrastructure.sim.capstan.dev";
const EARLY_MANAGER = "capstan-sim-machine";
/** Both write the same of the Node of a pool's Machine: who came first owns it. */
const NODE_MANAGERS: readonly string[] = ["capstan-machine-node", "capstan-machinepool-nodes"];

interface Metadata {
  readonly finalizers?: readonly string[];
  readonly managedFields?: readonly Managed[];
}

interface Managed {
  readonly manager?: string;
  readonly fieldsV1?: unknown;
}

/** The same object without what depends on which of two functions came first. */
export function withoutOrder({ type, object }: Listed): Listed {
  const metadata = object.metadata as Listed["object"]["metadata"] & Metadata;
  const { finalizers, managedFields = [] } = metadata;
  if (type === "cluster.x-k8s.io/machines") {
    const others = finalizers?.filter((finalizer) => finalizer !== EARLY_FINALIZER);
    const fields = managedFields.filter(({ manager }) => manager !== EARLY_MANAGER);
    return {
      type,
      object: {
        ...object,
        metadata: { ...metadata, finalizers: others, managedFields: fields },
      } as Listed["object"],
    };
  }
  if (type !== "workload /nodes") return { type, object };
  return {
    type,
    object: { ...object, metadata: { ...metadata, managedFields: asOne(managedFields) } } as Listed["object"],
  };
}

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
