import { textAt, valueAt } from "../../../api/path.ts";
import type { Crd, ReleaseAround } from "../crd/subject.ts";
import { labelsOf, objectsAt } from "./release-rule.ts";
import { ownSeries } from "./series.ts";
import type { Manifest, Release } from "./subject.ts";

const AGGREGATED = "cluster.x-k8s.io/aggregate-to-manager";

/** Content of a release that the rules on its CRDs need; `crds` are those of its components. */
export function releaseAround(release: Release, crds: readonly Crd[]): ReleaseAround {
  const roles = (release.components?.documents ?? []).filter(({ value }) => {
    return textAt(value, "kind") === "ClusterRole" && labelsOf(value)[AGGREGATED] === "true";
  });
  return {
    crds,
    aggregated: roles.flatMap(({ value }) => objectsAt(value, "rules").map(toRights)),
    seriesContract: ownSeries(release)?.contract,
  };
}

function toRights(rule: Manifest): ReleaseAround["aggregated"][number] {
  return {
    apiGroups: textsAt(rule, "apiGroups"),
    resources: textsAt(rule, "resources"),
    verbs: textsAt(rule, "verbs"),
  };
}

function textsAt(rule: Manifest, path: string): readonly string[] {
  const list = valueAt(rule, path);
  return Array.isArray(list) ? list.filter((item) => typeof item === "string") : [];
}
