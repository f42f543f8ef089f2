import type { ConditionStatus, DeprecatedCondition } from "../../api/conditions.ts";
import type { KubeObject } from "../../api/kinds.ts";
import { valueAt } from "../../api/path.ts";
import { compareText, isConditionStatus, timestamp } from "./conditions.ts";
import { truncate } from "./truncate.ts";

/** An entry without time. `severity` is `Error`, `Warning` or `Info`, only where the status is False. */
export type DesiredDeprecatedCondition = Omit<DeprecatedCondition, "lastTransitionTime">;

const LIMITS = { severity: 32, reason: 256, message: 10_240 } as const;

/** Texts that are empty are left out (minLength 1), the others cut to the schema's limits. */
export function deprecatedCondition(
  type: string,
  status: ConditionStatus,
  texts: { readonly severity?: unknown; readonly reason?: unknown; readonly message?: unknown } = {},
): DesiredDeprecatedCondition {
  return { type, status, ...text("severity", texts), ...text("reason", texts), ...text("message", texts) };
}

function text<Name extends keyof typeof LIMITS>(
  name: Name,
  texts: { readonly [Key in Name]?: unknown },
): { readonly [Key in Name]?: string } {
  const value = texts[name];
  if (typeof value !== "string" || value === "") return {};
  return { [name]: truncate(value, LIMITS[name]) } as { readonly [Key in Name]: string };
}

/** The field of every kind of Cluster API that holds the list. */
export const DEPRECATED_CONDITIONS = "status.deprecated.v1beta1.conditions";

/**
 * A provider object's `Ready` under the name `type`: of the deprecated list where it has one, even an empty one, else of
 * the present one. Absent or without known status: `undefined`.
 */
export function mirrorDeprecatedCondition(
  object: KubeObject,
  type: string,
): DesiredDeprecatedCondition | undefined {
  const older = valueAt(object, DEPRECATED_CONDITIONS);
  const reported = isListOfObjects(older)
    ? older.find((entry) => Reflect.get(entry, "type") === "Ready")
    : valueAt(object, "status.conditions[Ready]");
  if (typeof reported !== "object" || reported === null) return undefined;
  const { status, ...texts } = reported as { readonly [field: string]: unknown };
  return isConditionStatus(status) ? deprecatedCondition(type, status, texts) : undefined;
}

function isListOfObjects(value: unknown): value is readonly object[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === "object" && entry !== null);
}

/** The types that `Ready` is made of, by rank. `steps`: how many there are, while the message counts them. */
export interface Summary {
  readonly types: readonly string[];
  readonly steps?: number | undefined;
}

/** The whole list to apply, with the `Ready` that follows from it. */
export function summarizedConditions(
  previous: readonly DeprecatedCondition[] | undefined,
  desired: readonly (DesiredDeprecatedCondition | undefined)[],
  summary: Summary,
  now: Date,
): readonly DeprecatedCondition[] {
  const known = desired.filter((entry) => entry !== undefined);
  const list = setDeprecatedConditions(previous, known, now);
  const ready = summarizeDeprecated(list, summary);
  return ready === undefined ? list : setDeprecatedConditions(list, [ready], now);
}

/**
 * The whole list to apply (it has no merge key): `desired` in place of the previous entries of those types, all
 * others as they are, `Ready` first, then by type. The time moves when status, reason, severity or message changes. A
 * list that says all this already stays as it is: another writer of it may know another order.
 */
export function setDeprecatedConditions(
  previous: readonly DeprecatedCondition[] | undefined,
  desired: readonly DesiredDeprecatedCondition[],
  now: Date,
): readonly DeprecatedCondition[] {
  if (saysAll(previous, desired)) return previous ?? [];
  const byType = new Map((previous ?? []).map((stored) => [stored.type, stored]));
  for (const wanted of desired) {
    const stored = byType.get(wanted.type);
    const lastTransitionTime =
      stored !== undefined && sameStatement(stored, wanted) ? stored.lastTransitionTime : timestamp(now);
    byType.set(wanted.type, { ...wanted, lastTransitionTime });
  }
  return [...byType.values()].sort((a, b) => compareText(sortKey(a.type), sortKey(b.type)));
}

/** Whether a list says all of `desired`. It has no merge key, so that it may hold a type twice: then it does not. */
export function saysAll(
  stored: readonly DeprecatedCondition[] | undefined,
  desired: readonly DesiredDeprecatedCondition[],
): boolean {
  return desired.every((wanted) => {
    const found = (stored ?? []).filter(({ type }) => type === wanted.type);
    return found.length === 1 && found.every((one) => sameStatement(one, wanted));
  });
}

function sameStatement(a: DesiredDeprecatedCondition, b: DesiredDeprecatedCondition): boolean {
  return (
    a.status === b.status && a.reason === b.reason && a.severity === b.severity && a.message === b.message
  );
}

function sortKey(type: string): string {
  return type === "Ready" ? "" : type;
}

/**
 * Returns `Ready`: status, reason and message of the first of `types` inside the worst group (False with Error,
 * Warning, Info, then True, then Unknown). `undefined` while none of them exists.
 * Differs: a False without severity ranks with Info; upstream ranks it behind everything and calls the object ready.
 */
export function summarizeDeprecated(
  conditions: readonly DesiredDeprecatedCondition[],
  { types, steps }: Summary,
): DesiredDeprecatedCondition | undefined {
  const parts = types.flatMap((type) => conditions.filter((entry) => entry.type === type));
  return merged("Ready", parts, steps);
}

/** Returns `type`: the same of the `Ready` of several objects, with the first name and how many are ready. */
export function aggregateDeprecated(
  type: string,
  objects: readonly KubeObject[],
): DesiredDeprecatedCondition | undefined {
  const parts = objects
    .toSorted((a, b) => compareText(a.metadata.name, b.metadata.name))
    .flatMap(({ kind, metadata, ...object }) => {
      const ready = valueAt(object, `${DEPRECATED_CONDITIONS}[Ready]`);
      if (!isEntry(ready)) return [];
      const { reason = "" } = ready;
      return [{ ...ready, reason: reason.includes("@") ? reason : `${reason} @ ${kind}/${metadata.name}` }];
    });
  return merged(type, parts, objects.length);
}

function isEntry(value: unknown): value is DesiredDeprecatedCondition {
  return typeof value === "object" && value !== null && isConditionStatus(Reflect.get(value, "status"));
}

function merged(
  type: string,
  parts: readonly DesiredDeprecatedCondition[],
  steps: number | undefined,
): DesiredDeprecatedCondition | undefined {
  const worst = parts.reduce<DesiredDeprecatedCondition | undefined>(
    (first, entry) => (first === undefined || rank(entry) < rank(first) ? entry : first),
    undefined,
  );
  if (worst === undefined) return undefined;
  if (worst.status === "True") return deprecatedCondition(type, "True");
  const completed = parts.filter(({ status }) => status === "True").length;
  const message = steps === undefined ? worst.message : `${completed} of ${steps} completed`;
  return deprecatedCondition(type, worst.status as ConditionStatus, { ...worst, message });
}

function rank({ status, severity }: DesiredDeprecatedCondition): number {
  if (status === "True") return 3;
  if (status === "Unknown") return 4;
  if (severity === "Error") return 0;
  return severity === "Warning" ? 1 : 2;
}
