import type { KubeObject, ObjectKey } from "../../../shared/api/kinds.ts";
import { valueAt } from "../../../shared/api/path.ts";
import type { Store, TypeKey } from "../../../shared/runtime/ports.ts";
import { paint } from "../../platform/terminal/paint.ts";

/** One visible step of one object. */
export interface Transition {
  /** `MachinePool default/demo-pool`, `Node demo-pool-0 in default/demo`. */
  readonly object: string;
  /** `Pending → Running`, `created`, `Available True`. */
  readonly text: string;
}

/** Kinds whose changes are shown; definitions and bookkeeping are left out. */
const QUIET = new Set(["CustomResourceDefinition", "Secret", "ConfigMap", "Event", "Namespace"]);
/** Conditions worth a line of their own. */
const SHOWN_CONDITIONS = ["Available", "Ready", "Paused", "Deleting"];

/** Returns the visible changes between two snapshots of one object. */
export function transitionsBetween(
  type: TypeKey,
  before: KubeObject | undefined,
  after: KubeObject | undefined,
): readonly Transition[] {
  const shown = after ?? before;
  if (shown === undefined || QUIET.has(type.kind)) return [];
  const object = nameOf(type, shown);
  if (after === undefined) return [{ object, text: paint("dim", "deleted") }];
  const changes = [
    ...(before === undefined ? [paint("dim", "created")] : []),
    ...change("", valueAt(before, "status.phase"), valueAt(after, "status.phase")),
    ...change("", valueAt(before, "status.state"), valueAt(after, "status.state")),
    ...change("nodes ", countAt(before, "status.nodeRefs"), countAt(after, "status.nodeRefs")),
    ...SHOWN_CONDITIONS.flatMap((condition) => conditionChange(condition, before, after)),
  ];
  return changes.map((text) => ({ object, text }));
}

function nameOf(type: TypeKey, object: KubeObject): string {
  const { namespace, name } = object.metadata;
  const where = type.cluster === "management" ? "" : ` in ${type.cluster}`;
  return `${type.kind} ${namespace === undefined ? "" : `${namespace}/`}${name}${where}`;
}

function change(label: string, before: unknown, after: unknown): readonly string[] {
  if (after === undefined || before === after) return [];
  const text = before === undefined ? String(after) : `${String(before)} → ${String(after)}`;
  return [`${label}${GOOD.has(String(after)) ? paint("green", text) : text}`];
}
const GOOD = new Set(["Running", "Provisioned", "connected", "True"]);

function countAt(object: KubeObject | undefined, path: string): number | undefined {
  const value = valueAt(object, path);
  return Array.isArray(value) ? value.length : undefined;
}

function conditionChange(type: string, before: KubeObject | undefined, after: KubeObject): readonly string[] {
  const [old, now] = [before, after].map((object) => valueAt(object, `status.conditions[${type}].status`));
  if (now === old || now === undefined || (old === undefined && now === "False")) return [];
  const reason = valueAt(after, `status.conditions[${type}].reason`);
  return [
    `${type} ${now === "True" ? paint("green", "True") : String(now)} ${reason === undefined ? "" : paint("dim", `(${String(reason)})`)}`.trimEnd(),
  ];
}

/** Returns the same store, which calls `observe` with every stored change. */
export function observedStore(
  store: Store,
  observe: (type: TypeKey, before: KubeObject | undefined, after: KubeObject | undefined) => void,
): Store {
  return {
    get: (type, key) => store.get(type, key),
    list: (type, selection) => store.list(type, selection),
    read: (type, asked) => store.read(type, asked),
    find: (type, index, value) => store.find(type, index, value),
    named: (type, part, limit) => store.named(type, part, limit),
    each: (type) => store.each(type),
    progress: (type) => store.progress(type),
    unreported: (type) => store.unreported(type),
    advance: (type, progress) => store.advance(type, progress),
    drop: (type) => store.drop(type),
    signs: store.signs,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
    async put(type, objects) {
      const results = await store.put(type, objects);
      for (const [at, object] of objects.entries()) {
        const result = results[at];
        if (result?.stored === true) observe(type, result.before, object);
      }
      return results;
    },
    async remove(type: TypeKey, key: ObjectKey, deleted) {
      const removed = await store.remove(type, key, deleted);
      if (removed !== undefined) observe(type, removed, undefined);
      return removed;
    },
  };
}
