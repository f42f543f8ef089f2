import { textAt, valueAt } from "../../../api/path.ts";
import type { AggregatedRights, Crd, ReleaseAround } from "../crd/subject.ts";
import { labelsOf, objectsAt } from "./release-rule.ts";
import { ownSeries } from "./series.ts";
import type { Manifest, Release } from "./subject.ts";

const AGGREGATED = "cluster.x-k8s.io/aggregate-to-manager";

/** Returns the content of a release that the rules on its CRDs need; `crds` are those of its components. */
export function releaseAround(release: Release, crds: readonly Crd[]): ReleaseAround {
  return {
    crds,
    aggregated: aggregatedIn((release.components?.documents ?? []).map(({ value }) => value)),
    seriesContract: ownSeries(release)?.contract,
  };
}

/** Rights that ClusterRoles among these objects give to core. */
export function aggregatedIn(objects: readonly Manifest[]): AggregatedRights {
  return objects
    .filter((value) => textAt(value, "kind") === "ClusterRole" && labelsOf(value)[AGGREGATED] === "true")
    .flatMap((value) => objectsAt(value, "rules").map(toRights));
}

function toRights(rule: Manifest): AggregatedRights[number] {
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
