import type { KubeObject } from "../../shared/api/kinds.ts";
import type { PatchOperation } from "../../shared/api/patch.ts";
import { sameJson } from "../../shared/api/path.ts";

/** The object after a JSON patch. Throws when a `test` fails, or nothing is there to remove or to replace. */
export function patched<T extends KubeObject>(object: T, operations: readonly PatchOperation[]): T {
  const copy = structuredClone(object);
  for (const operation of operations) carryOut(copy, operation);
  return copy;
}

function carryOut(document: object, operation: PatchOperation): void {
  const segments = operation.path
    .split("/")
    .slice(1)
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
  const last = segments.pop() ?? "";
  const parent = segments.reduce<object>((at, segment) => Reflect.get(at, segment) as object, document);
  if (operation.op === "test") {
    const value: unknown = Reflect.get(parent, last) ?? null;
    if (!sameJson(value, operation.value)) throw new Error(`the test of ${operation.path} fails`);
  } else if (operation.op === "remove") {
    if (!Object.hasOwn(parent, last)) throw new Error(`nothing is at ${operation.path}`);
    remove(parent, last);
  } else if (operation.op === "replace") {
    if (!Object.hasOwn(parent, last)) throw new Error(`nothing is at ${operation.path}`);
    Reflect.set(parent, last, operation.value);
  } else {
    add(parent, last, operation.value);
  }
}

function remove(parent: object, last: string): void {
  if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else Reflect.deleteProperty(parent, last);
}

function add(parent: object, last: string, value: unknown): void {
  if (Array.isArray(parent)) parent.splice(last === "-" ? parent.length : Number(last), 0, value);
  else Reflect.set(parent, last, value);
}
