// Not from "semver", which loads all of its 47 files (KC-04).
import SemVer from "semver/classes/semver.js";

/**
 * Reads a version of Kubernetes as Cluster API does: with or without `v`, zeros in front of a number, and what is missing
 * behind the major or minor number, so that `v1.33` is 1.33.0. `undefined` for any other text.
 */
export function parseVersion(text: string): SemVer | undefined {
  const [major = "", minor, ...patch] = text.trim().replace(/^v/, "").split(".");
  const parts = [
    major,
    ...(minor === undefined ? [] : [minor]),
    ...(patch.length > 0 ? [patch.join(".")] : []),
  ];
  const isShort = parts.length < 3;
  // Of two numbers with a suffix it is not known which one is missing.
  if (!/^\d/.test(major) || (isShort && /[-+]/.test(parts.at(-1) ?? ""))) return undefined;
  const full = [...parts, "0", "0"].slice(0, 3).map((part) => part.replace(/^0+(?=\d)/, ""));
  try {
    return new SemVer(full.join("."));
  } catch {
    return undefined;
  }
}
