import { StatusError } from "../errors/status-error.ts";
import { type FieldManager, type FieldManagers, identityOf } from "./field-managers.ts";
import {
  difference,
  draftSet,
  EMPTY_SET,
  type FieldSet,
  formatPath,
  insertPath,
  intersection,
  isEmptySet,
  pathsOf,
  union,
} from "./field-set.ts";
import type { Comparison } from "./typed-compare.ts";

/** Members of metadata that the server owns. */
const IDENTITY = [
  "name",
  "namespace",
  "creationTimestamp",
  "selfLink",
  "uid",
  "generation",
  "managedFields",
  "resourceVersion",
];

export const UNTRACKED: FieldSet = untracked();

/** Fields without an owner: apiVersion, kind, metadata itself and the identity in it. */
function untracked(): FieldSet {
  const draft = draftSet();
  for (const name of ["apiVersion", "kind", "metadata"]) insertPath(draft, [`f:${name}`]);
  for (const name of IDENTITY) insertPath(draft, ["f:metadata", `f:${name}`]);
  return draft;
}

/** A manager and what it would lose. */
export interface Conflict {
  readonly owner: FieldManager;
  readonly set: FieldSet;
}

/**
 * Takes from all but `self` what changed; `judge` sees first what others would lose and may throw.
 * `changes` are those an owner feels, by the apiVersion of its entry.
 */
export function settleOwners(
  managers: FieldManagers,
  self: string | undefined,
  changes: (apiVersion: string) => Comparison,
  judge: (conflicts: readonly Conflict[]) => void,
): void {
  const conflicts: Conflict[] = [];
  for (const [id, owner] of managers) {
    const { modified, added } = changes(owner.apiVersion);
    const set = id === self ? EMPTY_SET : intersection(owner.set, union(modified, added));
    if (!isEmptySet(set)) conflicts.push({ owner, set });
  }
  if (conflicts.length > 0) judge(conflicts);
  for (const [id, owner] of managers) {
    const { modified, added, removed } = changes(owner.apiVersion);
    const set = id === self ? owner.set : difference(owner.set, union(union(modified, added), removed));
    if (isEmptySet(set)) managers.delete(id);
    else if (set !== owner.set) managers.set(id, { ...owner, set });
  }
}

/** Removes the fields without an owner from every entry. */
export function untrackIdentity(managers: FieldManagers): void {
  for (const [id, owner] of managers) {
    const set = difference(owner.set, UNTRACKED);
    if (isEmptySet(set)) managers.delete(id);
    else if (set !== owner.set) managers.set(id, { ...owner, set });
  }
}

function managerText(owner: FieldManager): string {
  const subresource = owner.subresource === undefined ? "" : ` with subresource "${owner.subresource}"`;
  const version = owner.operation === "Update" ? ` using ${owner.apiVersion}` : "";
  return `${JSON.stringify(owner.manager)}${subresource}${version}`;
}

/** The answer to an apply that would take fields from others without force: a cause per path and manager. */
export function applyConflict(conflicts: readonly Conflict[]): StatusError {
  const blocks = conflicts
    .map(({ owner, set }) => ({
      id: identityOf(owner),
      name: managerText(owner),
      paths: pathsOf(set).map(formatPath),
    }))
    .sort((left, right) => (left.id < right.id ? -1 : 1));
  const causes = blocks.flatMap(({ name, paths }) =>
    paths.map((field) => ({ reason: "FieldManagerConflict", message: `conflict with ${name}`, field })),
  );
  const list =
    causes.length === 1
      ? `1 conflict: ${causes[0]?.message}: ${causes[0]?.field}`
      : `${causes.length} conflicts: ${blocks
          .map(({ name, paths }) =>
            [`conflicts with ${name}:`, ...paths.map((path) => `- ${path}`)].join("\n"),
          )
          .join("\n")}`;
  return new StatusError(409, "Conflict", `Apply failed with ${list}`, { causes });
}
