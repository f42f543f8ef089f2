import type { KubeJson } from "../objects/json.ts";
import type { FieldManagers } from "./field-managers.ts";
import { withoutFields } from "./field-set.ts";
import { type Comparison, compare } from "./typed-compare.ts";
import type { Views } from "./views.ts";

/** The object after an operation, in its own version, and its owners before. */
interface Step {
  readonly before: KubeJson;
  readonly after: KubeJson;
  readonly managers: FieldManagers;
  /** Top-level members that the endpoint leaves as they are. */
  readonly ignored: readonly string[];
}

/**
 * Returns the changes, by the version of the entry that asks: fields that the endpoint ignores are left out only
 * for the version that it was called through. So a change of spec sent to /status of one version costs owners of
 * another version their fields, as on the real server. Throws NoView when the object cannot be shown in the version of
 * an entry.
 */
export async function changesOf(
  views: Views,
  { before, after, managers, ignored }: Step,
): Promise<(apiVersion: string) => Comparison> {
  const { added, removed, modified } = compare(views.type, before, after);
  const own = {
    added: withoutFields(added, ignored),
    removed: withoutFields(removed, ignored),
    modified: withoutFields(modified, ignored),
  };
  const inVersion = new Map([[views.apiVersion, own]]);
  for (const { apiVersion } of managers.values()) {
    if (inVersion.has(apiVersion)) continue;
    const { type, object } = await views.of(before, apiVersion);
    inVersion.set(apiVersion, compare(type, object, (await views.of(after, apiVersion)).object));
  }
  return (apiVersion) => inVersion.get(apiVersion) ?? own;
}
