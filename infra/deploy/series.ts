import { parse } from "semver";

/** A series of our releases and the contract of Cluster API that it follows. */
export interface Series {
  readonly major: number;
  readonly minor: number;
  readonly contract: "v1beta1" | "v1beta2";
}

/**
 * Every series that was ever released, the oldest first. clusterctl refuses an upgrade to a release whose metadata
 * lacks the series of any version from the installed one on, so an entry is never removed.
 */
export const SERIES: readonly Series[] = [{ major: 0, minor: 1, contract: "v1beta2" }];

/** Throws when a version is malformed, has no `v` before it, or belongs to no series. */
export function checkVersion(version: string, series: readonly Series[]): void {
  const parsed = version.startsWith("v") ? parse(version.slice(1)) : null;
  if (parsed === null) {
    throw new Error(`version ${version} is not a semantic version after a v; write one such as v0.1.0`);
  }
  const { major, minor } = parsed;
  if (series.some((known) => known.major === major && known.minor === minor)) return;
  throw new Error(
    `version ${version} belongs to no released series; add { major: ${major}, minor: ${minor} } to infra/deploy/series.ts`,
  );
}
