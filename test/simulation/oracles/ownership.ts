import { fieldOwners } from "../../../infra/platform/kube/take-over.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import { segmentsOf, valueAt } from "../../../shared/api/path.ts";
import { type AnyFunction, isContractKind } from "../../../shared/function/define-function.ts";
import { FIRST_APPLY } from "../../../shared/runtime/write/field-managers.ts";
import type { Oracle, StoredChange } from "./oracle.ts";

interface Entry {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly fieldsV1?: object;
}

const MANAGER_PREFIX = "capstan-";
/** Managers that are not functions: operators of the cluster and its Nodes, and the roles that faults play. */
const OTHERS: ReadonlySet<string> = new Set(["rival", "sim-cloud", "somebody", "up", "user"]);
/** The only objects that the relay writes, one of them. */
const LEASES = "coordination.k8s.io/leases";
const CORE_GROUPS: ReadonlySet<string> = new Set(["", "cluster.x-k8s.io"]);

/** Who writes which field: F-06, F-08. */
export const ownership: readonly Oracle[] = [
  {
    number: "F-06",
    title: "a function manages nothing but its own fields, and takes none from another manager",
    watch({ world: { functions }, onChange, violated, evaluated }) {
      onChange((change) => {
        for (const { manager } of nameless(change, functions))
          violated(`${manager} names no function and manages fields of ${titleOf(change)}`);
        for (const { fn, entry } of changedEntries(change, functions)) {
          evaluated();
          const foreign = foreignIn(change, fn, entry, functions);
          for (const wrong of [...foreign, ...takenIn(change, fn, entry, functions)])
            violated(`${fn.spec.name} ${wrong}`);
        }
      });
    },
  },
  {
    number: "F-08",
    title: "a function applies all fields that it owns",
    watch({ world: { functions }, onChange, violated, evaluated }) {
      onChange((change) => {
        for (const { manager } of nameless(change, functions))
          violated(`${manager} names no function: what it has to apply of ${titleOf(change)} is not known`);
        for (const { fn, entry } of changedEntries(change, functions)) {
          if (entry.operation !== "Apply" || !isReconciled(fn, change)) continue;
          if (entry.subresource !== "status") continue;
          evaluated();
          const missing = leftOut(fn, entry, change);
          if (missing.length > 0)
            violated(`${fn.spec.name} leaves out ${missing.join()} of ${titleOf(change)}`);
        }
      });
    },
  },
];

/** Fields that a function manages without owning them. */
function foreignIn(
  change: StoredChange,
  fn: AnyFunction,
  entry: Entry,
  functions: readonly AnyFunction[],
): readonly string[] {
  const fields = fieldsOf([entry]);
  const declared = declaredPaths(fn, change.type, change.after);
  const foreign = fields.filter((field) => !isWithin(field, declared));
  const types = fields.some((field) => isShared(change, field)) ? sharedTypes(change) : [];
  const owned = ownedPaths(fn, change.type);
  // Who owns the whole status has the entries that no other function owns.
  const isOwn = (path: string) =>
    owned.includes(path) ||
    (owned.includes("status") && !functions.some((other) => ownedPaths(other, change.type).includes(path)));
  return [
    ...(foreign.length === 0 ? [] : [`manages ${foreign.join()} of ${titleOf(change)}`]),
    ...types
      .filter((type) => !isOwn(`${SHARED}[${type}]`))
      .map((type) => `changes ${type} in ${SHARED} of ${titleOf(change)}`),
  ];
}

/** Fields that a function takes from another manager with which it does not take turns. */
function takenIn(
  change: StoredChange,
  fn: AnyFunction,
  entry: Entry,
  functions: readonly AnyFunction[],
): readonly string[] {
  return takenFields(change, entry)
    .filter(
      ({ field, from }) =>
        // The server itself, after it has lost who owned the field.
        from !== FIRST_APPLY &&
        !takesTurns(fn.spec.name, from) &&
        !isShared(change, field) &&
        !isInTurn(change, field, [
          fn,
          functions.find(({ spec }) => `${MANAGER_PREFIX}${spec.name}` === from),
        ]),
    )
    .map(({ field, from }) => `takes ${field} of ${titleOf(change)} from ${from}`);
}

/** Whether one of two functions says that both write this field in turn, each in the version that it has read. */
function isInTurn(
  { type }: StoredChange,
  field: string,
  both: readonly (AnyFunction | undefined)[],
): boolean {
  return both.some((fn) =>
    fn?.spec.inTurnWith?.some(
      (turn) =>
        type === POLICIES &&
        both.some((other) => other?.spec.name === turn.function) &&
        isAbout(turn.on ?? fn.spec.reconciles, type) &&
        isWithin(field, [turn.field]),
    ),
  );
}

/** The only kind of which several functions write the same fields: its whole history. */
const POLICIES = "capstan.dev/remediationpolicies";

/** Fields that the writer of this entry manages now and that another manager has lost. */
function takenFields({ before, after }: StoredChange, entry: Entry) {
  const gained = new Set(fieldsOf([entry]));
  for (const field of fieldsOf(entriesOf(before, entry.manager))) gained.delete(field);
  const others = entriesOf(before).filter(({ manager }) => manager !== entry.manager);
  return others.flatMap((other) => {
    const kept = new Set(fieldsOf(entriesOf(after, other.manager)));
    const taken = fieldsOf([other]).filter((field) => gained.has(field) && !kept.has(field));
    return taken.map((field) => ({ field, from: other.manager }));
  });
}

/** Owned fields that have a value which the function does not apply. */
function leftOut({ spec }: AnyFunction, entry: Entry, { after }: StoredChange): readonly string[] {
  const applied = fieldsOf([entry]).map(segmentsOf);
  return spec.owns.filter((path) => {
    const parts = segmentsOf(path);
    const isApplied = applied.some((field) => isPrefix(parts, field) || isPrefix(field, parts));
    return valueAt(after, path) !== undefined && !isApplied;
  });
}

/** Entries of functions that this change has written. */
function changedEntries(
  change: StoredChange,
  functions: readonly AnyFunction[],
): readonly { readonly fn: AnyFunction; readonly entry: Entry }[] {
  return writtenEntries(change).flatMap((entry) => {
    const fn = functionOf(entry, functions);
    return fn === undefined ? [] : [{ fn, entry }];
  });
}

/** Entries of this change whose manager looks like a function, and is the name of none. */
function nameless(change: StoredChange, functions: readonly AnyFunction[]): readonly Entry[] {
  return writtenEntries(change).filter((entry) => {
    const name = entry.manager.slice(MANAGER_PREFIX.length);
    const isOfRelay = name === "relay" && change.type === LEASES;
    return !isOfRelay && !OTHERS.has(name) && functionOf(entry, functions) === undefined;
  });
}

function functionOf({ manager }: Entry, functions: readonly AnyFunction[]): AnyFunction | undefined {
  return functions.find(({ spec }) => `${MANAGER_PREFIX}${spec.name}` === manager);
}

/** Entries that this change has written, of managers that are parts of Capstan. */
function writtenEntries({ type, before, after }: StoredChange): readonly Entry[] {
  if (after === undefined || type === "/events") return [];
  const known = new Set(entriesOf(before).map((entry) => JSON.stringify(entry)));
  return entriesOf(after).filter(
    (entry) => entry.manager.startsWith(MANAGER_PREFIX) && !known.has(JSON.stringify(entry)),
  );
}

function entriesOf(object: KubeObject | undefined, manager?: string): readonly Entry[] {
  const { managedFields = [] } = (object?.metadata ?? {}) as { readonly managedFields?: readonly Entry[] };
  return manager === undefined ? managedFields : managedFields.filter((entry) => entry.manager === manager);
}

function fieldsOf(entries: readonly Entry[]): readonly string[] {
  return fieldOwners(entries as Parameters<typeof fieldOwners>[0]).map(({ field }) => field);
}

/** Everything of what it creates, and what it owns. */
function declaredPaths(fn: AnyFunction, type: string, after: KubeObject | undefined): readonly string[] {
  const { calls = [] } = fn.spec;
  const isCreated = calls.some(({ verb, kind }) => verb !== "delete" && isAbout(kind, type));
  return [...ownedPaths(fn, type), ...(isCreated ? Object.keys(after ?? {}) : [])];
}

/** Fields that it owns of its own kind, and of others. */
function ownedPaths(
  { spec: { owns, ownsOn = [], reconciles } }: AnyFunction,
  type: string,
): readonly string[] {
  const isOwn = `${reconciles.group}/${reconciles.plural}` === type;
  const others = ownsOn.filter(({ kind }) => isAbout(kind, type)).flatMap(({ fields }) => fields);
  return [...(isOwn ? owns : []), ...others];
}

function isAbout(kind: AnyFunction["spec"]["watches"][number]["on"], type: string): boolean {
  if (!isContractKind(kind)) return `${kind.group}/${kind.plural}` === type;
  return !CORE_GROUPS.has(type.split("/", 1)[0] ?? "");
}

function isWithin(field: string, declared: readonly string[]): boolean {
  const parts = segmentsOf(field);
  return declared.some((path) => isPrefix(segmentsOf(path), parts) || isPrefix(parts, segmentsOf(path)));
}

function isPrefix(short: readonly string[], long: readonly string[]): boolean {
  return short.length <= long.length && short.every((part, index) => part === long[index]);
}

function isReconciled({ spec: { reconciles } }: AnyFunction, { type }: StoredChange): boolean {
  return `${reconciles.group}/${reconciles.plural}` === type;
}

/** Replicas that are managed from outside are the provider's to write (test/invariants/ownership.test.ts). */
function takesTurns(name: string, other: string): boolean {
  return name === "sim-autoscaler" || other === "capstan-sim-autoscaler";
}

const SHARED = "status.deprecated.v1beta1.conditions";

/**
 * An atomic list of a Machine: who patches one entry of it becomes the owner of all. So it is asked entry by
 * entry who may change it.
 */
function isShared({ type }: StoredChange, field: string): boolean {
  return type === "cluster.x-k8s.io/machines" && field === SHARED;
}

/** Types of the entries that a change adds, changes or takes away. */
function sharedTypes({ before, after }: StoredChange): readonly string[] {
  const [was, is] = [before, after].map((object) => {
    const entries = (valueAt(object, SHARED) ?? []) as readonly { readonly type: string }[];
    return new Map(entries.map((entry) => [entry.type, JSON.stringify(entry)]));
  });
  const types = new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])]);
  return [...types].filter((type) => was?.get(type) !== is?.get(type));
}

function titleOf({ type, after }: StoredChange): string {
  return `${type} ${after?.metadata.namespace ?? ""}/${after?.metadata.name}`;
}
