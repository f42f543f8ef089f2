// Not from "semver", which loads all of its 47 files (KC-04).
import SemVer from "semver/classes/semver.js";
import { compareText } from "../conditions/conditions.ts";

/** An entry of `status.versions`. */
export interface VersionCount {
  readonly version: string;
  readonly replicas: number;
}

const MAX_ENTRIES = 100;
const MAX_VERSION = 256;

/**
 * Counts how many times each version occurs, in the order of semantic versions (build metadata counts), other texts last
 * and by text. `undefined` without any; at most 100 entries, as the schema allows.
 */
export function countVersions(versions: readonly string[]): readonly VersionCount[] | undefined {
  return addVersions(versions.map((version) => ({ version, replicas: 1 })));
}

/** The same for lists that are counted already. Versions that no schema accepts (over 256 characters) are left out. */
export function addVersions(counts: readonly VersionCount[]): readonly VersionCount[] | undefined {
  const replicasOf = new Map<string, number>();
  for (const { version, replicas } of counts) {
    if (version !== "" && version.length <= MAX_VERSION)
      replicasOf.set(version, (replicasOf.get(version) ?? 0) + replicas);
  }
  if (replicasOf.size === 0) return undefined;
  return [...replicasOf]
    .map(([version, replicas]) => ({ version, replicas }))
    .sort((a, b) => compareVersions(a.version, b.version))
    .slice(0, MAX_ENTRIES);
}

/** Whether a version is as Cluster API's admission leaves it: `v` and a semantic version. */
export function isPrefixedVersion(version: string): boolean {
  return version.startsWith("v") && parse(version) !== undefined;
}

/** The same version with its `v`, which only admission would have put there. */
export function prefixedVersion(version: string): string {
  return version.startsWith("v") ? version : `v${version}`;
}

/** Semantic versions ascending, with or without `v`; anything else behind them, by text. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parse(a), parse(b)];
  if (left === undefined || right === undefined) {
    return left === right ? compareText(a, b) : Number(left === undefined) - Number(right === undefined);
  }
  return left.compare(right) || left.compareBuild(right) || compareText(a, b);
}

/** The parts of a semantic version, with or without `v`; `undefined` for any other text. */
export function parseVersion(
  version: string,
): { readonly major: number; readonly minor: number; readonly version: string } | undefined {
  const parsed = parse(version);
  return parsed === undefined
    ? undefined
    : { major: parsed.major, minor: parsed.minor, version: version.replace(/^v/, "") };
}

function parse(version: string): SemVer | undefined {
  try {
    return new SemVer(version);
  } catch {
    return undefined;
  }
}
