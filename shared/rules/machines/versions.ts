import { parseVersion } from "../../api/kubernetes-version.ts";
import { compareText } from "../conditions/conditions.ts";

type Version = NonNullable<ReturnType<typeof parseVersion>>;

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

/** Whether admission accepts a version: a whole semantic version, with or without `v`. */
export function isWholeVersion(version: string): boolean {
  const parsed = parseVersion(version);
  return parsed !== undefined && versionText(parsed) === version.replace(/^v/, "");
}

/** The same version with its `v`, which only admission would have put there. */
export function prefixedVersion(version: string): string {
  return version.startsWith("v") ? version : `v${version}`;
}

/** Versions ascending, build metadata counts; any other text behind them, by text. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parseVersion(a), parseVersion(b)];
  if (left === undefined || right === undefined) {
    return left === right ? compareText(a, b) : Number(left === undefined) - Number(right === undefined);
  }
  return left.compare(right) || left.compareBuild(right) || compareText(a, b);
}

/** The text of a version without `v`, with its build metadata. */
export function versionText({ version, build }: Version): string {
  return build.length === 0 ? version : `${version}+${build.join(".")}`;
}

/**
 * Whether what reports a version is still to come to the wanted one: it is older, or its build metadata is another word,
 * which has no order. Source: util/version/version.go
 */
export function isBehind(reported: Version, wanted: Version): boolean {
  const order = wanted.compare(reported);
  if (order !== 0) return order > 0;
  const at = wanted.build.findIndex((part, index) => part !== reported.build[index]);
  if (at < 0) return false;
  const [part = "", other] = [wanted.build[at], reported.build[at]];
  if (other === undefined || !isNumber(part)) return true;
  return isNumber(other) && Number(part) > Number(other);
}

function isNumber(text: string): boolean {
  return /^\d+$/.test(text);
}
