import type { ClusterResourceSetBinding } from "../../../shared/api/clusterresourceset.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import { escapePointer } from "../../../shared/api/path.ts";
import { annotationsPatch } from "../../../shared/rules/metadata/labels.ts";

/**
 * The annotation on a binding that says what is missing of each set, and since when. Only the run that was refused knows
 * the words of a server; the function of the status says them in a condition.
 */
const NOT_APPLIED = "capstan.dev/not-applied";
/** The field that `notAppliedIn` reads and `notAppliedPatch` writes. */
export const NOT_APPLIED_FIELDS = [`metadata.annotations[${NOT_APPLIED}]`] as const;

/** Reasons of the condition, the worst first. */
export const REASONS_BY_WORST = ["InternalError", "WrongSecretType", "NotApplied"] as const;
export type NotAppliedReason = (typeof REASONS_BY_WORST)[number];

/** Why a set is not applied to one Cluster. */
export interface NotApplied {
  readonly reason: NotAppliedReason;
  /** The first three, for people. */
  readonly problems: readonly string[];
  /** RFC 3339. */
  readonly since: string;
}

/** Reasons by the name of the set. */
export type NotAppliedSets = { readonly [set: string]: NotApplied };

/** Returns what a binding says; nothing where another client has changed the annotation. */
export function notAppliedIn(binding: ClusterResourceSetBinding | undefined): NotAppliedSets {
  const text = binding?.metadata.annotations?.[NOT_APPLIED];
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text);
    return Object.fromEntries(Object.entries(Object(value) as object).filter(isEntry));
  } catch {
    return {};
  }
}

function isEntry(entry: [string, unknown]): entry is [string, NotApplied] {
  const { reason, problems, since } = Object(entry[1]) as Partial<Record<keyof NotApplied, unknown>>;
  const areTexts = Array.isArray(problems) && problems.every((problem) => typeof problem === "string");
  return areTexts && typeof since === "string" && REASONS_BY_WORST.includes(reason as NotAppliedReason);
}

/** The annotations of a binding that says this; none when everything is applied. */
export function notAppliedAnnotations(sets: NotAppliedSets): { readonly [key: string]: string } {
  return Object.keys(sets).length === 0 ? {} : { [NOT_APPLIED]: JSON.stringify(sets) };
}

/** Operations that say it on a binding; none when it says so already. */
export function notAppliedPatch(
  binding: ClusterResourceSetBinding,
  sets: NotAppliedSets,
): readonly PatchOperation[] {
  const wanted = notAppliedAnnotations(sets);
  if (NOT_APPLIED in wanted) return annotationsPatch(binding, wanted);
  const isSaid = binding.metadata.annotations?.[NOT_APPLIED] !== undefined;
  return isSaid ? [{ op: "remove", path: `/metadata/annotations/${escapePointer(NOT_APPLIED)}` }] : [];
}
