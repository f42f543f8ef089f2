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

/** A provider object's `status.conditions[source]` under the name `type`; absent or without known status: `undefined`. */
export function mirrorDeprecatedCondition(
  object: KubeObject,
  source: string,
  type: string,
): DesiredDeprecatedCondition | undefined {
  const reported = valueAt(object, `status.conditions[${source}]`);
  if (typeof reported !== "object" || reported === null) return undefined;
  const { status, ...texts } = reported as { readonly [field: string]: unknown };
  return isConditionStatus(status) ? deprecatedCondition(type, status, texts) : undefined;
}

/**
 * The whole list to apply (it has no merge key): `desired` in place of the previous entries of those types, all
 * others as they are, `Ready` first, then by type. The time moves when status, reason, severity or message changes.
 * Source: MP-7.2
 */
export function setDeprecatedConditions(
  previous: readonly DeprecatedCondition[] | undefined,
  desired: readonly DesiredDeprecatedCondition[],
  now: Date,
): readonly DeprecatedCondition[] {
  const byType = new Map((previous ?? []).map((stored) => [stored.type, stored]));
  for (const wanted of desired) {
    const stored = byType.get(wanted.type);
    const lastTransitionTime =
      stored !== undefined && sameStatement(stored, wanted) ? stored.lastTransitionTime : timestamp(now);
    byType.set(wanted.type, { ...wanted, lastTransitionTime });
  }
  return [...byType.values()].sort((a, b) => compareText(sortKey(a.type), sortKey(b.type)));
}

/** Whether two entries of a type say the same, whatever their times. */
export function sameStatement(a: DesiredDeprecatedCondition, b: DesiredDeprecatedCondition): boolean {
  return (
    a.status === b.status && a.reason === b.reason && a.severity === b.severity && a.message === b.message
  );
}

function sortKey(type: string): string {
  return type === "Ready" ? "" : type;
}

/**
 * `Ready`: status, reason and message of the first of `types` inside the worst group (False with Error, Warning,
 * Info, then True, then Unknown). `undefined` while none of them exists.
 * Differs: a False without severity ranks with Info; upstream ranks it behind everything and calls the object ready.
 */
export function summarizeDeprecated(
  conditions: readonly DesiredDeprecatedCondition[],
  types: readonly string[],
): DesiredDeprecatedCondition | undefined {
  const worst = types
    .flatMap((type) => conditions.filter((entry) => entry.type === type))
    .reduce<DesiredDeprecatedCondition | undefined>(
      (first, entry) => (first === undefined || rank(entry) < rank(first) ? entry : first),
      undefined,
    );
  return worst === undefined ? undefined : { ...worst, type: "Ready" };
}

function rank({ status, severity }: DesiredDeprecatedCondition): number {
  if (status === "True") return 3;
  if (status === "Unknown") return 4;
  if (severity === "Error") return 0;
  return severity === "Warning" ? 1 : 2;
}
