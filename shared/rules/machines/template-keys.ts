import type { KubeObject } from "../../api/kinds.ts";
import type { PatchOperation } from "../../api/patch.ts";
import { escapePointer } from "../../api/path.ts";
import { compareText } from "../conditions/conditions.ts";

/**
 * The keys that came from the template, sorted and joined by commas: a key that leaves the template must leave the
 * Machine, and what else is on the Machine does not show where it came from. Absent while the template has none.
 */
export const TEMPLATE_KEYS = "capstan.dev/keys-from-template";

/** Labels and annotations that a template gives to what is made from it. */
export interface TemplateMetadata {
  readonly labels: { readonly [key: string]: string };
  readonly annotations: { readonly [key: string]: string };
}

/** Returns the value of the tracker for these keys; `undefined` for none. */
export function trackerOf(keys: readonly string[]): string | undefined {
  return keys.length === 0 ? undefined : [...new Set(keys)].toSorted(compareText).join(",");
}

/** Returns the keys that the tracker of an object lists. */
export function trackedKeys({ metadata }: KubeObject): readonly string[] {
  const text = metadata.annotations?.[TEMPLATE_KEYS] ?? "";
  return text === "" ? [] : text.split(",");
}

/**
 * Operations that give an object these labels and annotations and take the keys of `gone` away; others stay. None when
 * all is right already.
 */
export function metadataPatch(
  { metadata }: KubeObject,
  { labels, annotations }: TemplateMetadata,
  gone: readonly string[],
): readonly PatchOperation[] {
  return [
    ...mapPatch("/metadata/labels", metadata.labels, labels, gone),
    ...mapPatch("/metadata/annotations", metadata.annotations, annotations, gone),
  ];
}

type Values = { readonly [key: string]: string };

/** The same for one map of labels or annotations, at a JSON pointer. */
export function mapPatch(
  path: string,
  present: Values | undefined,
  desired: Values,
  gone: readonly string[],
): readonly PatchOperation[] {
  const entries = Object.entries(desired);
  if (present === undefined) return entries.length === 0 ? [] : [{ op: "add", path, value: desired }];
  const at = (key: string) => `${path}/${escapePointer(key)}`;
  return [
    ...entries
      .filter(([key, value]) => !Object.hasOwn(present, key) || present[key] !== value)
      .map(([key, value]) => ({ op: "add", path: at(key), value }) as const),
    ...gone
      .filter((key) => Object.hasOwn(present, key) && !Object.hasOwn(desired, key))
      .map((key) => ({ op: "remove", path: at(key) }) as const),
  ];
}
