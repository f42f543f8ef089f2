// Not from "semver", which loads all of its 47 files (KC-04).
import SemVer from "semver/classes/semver.js";

/** Reads a version as clusterctl does, with or without a leading `v`; undefined where it is not a semantic one. */
export function parseVersion(text: string): SemVer | undefined {
  try {
    return new SemVer(text);
  } catch {
    return undefined;
  }
}
