import type { Cause } from "../errors/status-error.ts";
import { isJsonObject, type Json } from "../objects/json.ts";
import type { KubeObject } from "../objects/kube-object.ts";
import type { Schema } from "./schema.ts";

const KEYWORD = "x-kubernetes-validations";

/** The CEL evaluator takes 100 ms to import, and most servers never see a rule. */
let cel: typeof import("./cel.ts") | undefined;

const schemasWithRules = new WeakMap<Schema, boolean>();

/**
 * Loads the evaluator when a written object may need it: its schema has rules, or its text is a CRD that brings some.
 */
export async function loadRules(schema: Schema, body: Buffer): Promise<void> {
  if (hasRules(schema) || body.includes(KEYWORD)) cel ??= await import("./cel.ts");
}

/** Returns the problems found by the rules of a schema; `live` is for transition rules. */
export function ruleCauses(schema: Schema, object: KubeObject, live: KubeObject | undefined): Cause[] {
  return cel && hasRules(schema) ? cel.evaluateRules(schema, object, live) : [];
}

/** Rules of a schema that cannot be evaluated here; they are stored all the same. */
export function unusableRules(schema: Schema): readonly string[] {
  return cel && hasRules(schema) ? cel.uncompilableRules(schema) : [];
}

/** Whether the schema has CEL rules anywhere. */
export function hasRules(schema: Schema): boolean {
  let found = schemasWithRules.get(schema);
  if (found === undefined) {
    // A schema is JSON text that was parsed.
    found = mentionsRules(schema as unknown as Json);
    schemasWithRules.set(schema, found);
  }
  return found;
}

function mentionsRules(value: Json): boolean {
  if (Array.isArray(value)) return value.some(mentionsRules);
  return isJsonObject(value) && (KEYWORD in value || Object.values(value).some(mentionsRules));
}
