import type { KubeObject } from "../../../shared/api/kinds.ts";
import { contractOf } from "../../../shared/contract/version.ts";

/** Finds a CRD by its name, with its labels. */
export type CrdLookup = (name: string) => Pick<KubeObject, "metadata"> | undefined;

/**
 * Returns the version of a reference in an older version of Cluster API, which v1beta2 does not keep: the newest that the
 * labels of the CRD of its kind name, else the last that was known, else v1beta1.
 * Differs: a kind without a CRD or a label fails no conversion; upstream then fails every list of v1beta1.
 */
export function referenceVersions(
  lookup: CrdLookup,
  noteFallback: (group: string, kind: string) => void = () => undefined,
): (group: string, kind: string) => string {
  const lastKnown = new Map<string, string>();
  return (group, kind) => {
    for (const plural of pluralsOf(kind.toLowerCase())) {
      const crd = lookup(`${plural}.${group}`);
      const version =
        crd === undefined ? undefined : contractOf(crd as Parameters<typeof contractOf>[0])?.version;
      if (version === undefined) continue;
      if (lastKnown.size < MAX_KNOWN) lastKnown.set(`${group}/${kind}`, version);
      return `${group}/${version}`;
    }
    noteFallback(group, kind);
    return `${group}/${lastKnown.get(`${group}/${kind}`) ?? "v1beta1"}`;
  };
}

/** Kinds whose versions are remembered: more than any management cluster has. */
const MAX_KNOWN = 10_000;

/** English plurals of a kind, the usual one first. */
function pluralsOf(kind: string): readonly string[] {
  return [`${kind}s`, `${kind}es`, kind.replace(/y$/, "ies"), kind];
}
