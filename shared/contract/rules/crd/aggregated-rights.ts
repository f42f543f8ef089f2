import { fail, pass, unknown } from "../rule.ts";
import type { Check } from "./crd-rule.ts";
import { NEEDS_RELEASE } from "./shapes.ts";
import type { AggregatedRights, CrdSubject } from "./subject.ts";

/** Core may do everything with the kinds of these groups. */
const OWN_GROUPS = ["infrastructure", "bootstrap", "controlplane"].map((name) => `${name}.cluster.x-k8s.io`);
const EVERY_VERB = ["create", "delete", "get", "list", "patch", "update", "watch"];
/** Templates that only the topology reads and core never clones by create and delete of their own. */
const TEMPLATE_VERBS = ["get", "list", "patch", "update", "watch"];

/** Core has rights for the group by itself, or by a ClusterRole of the release, or beside it, that is aggregated to its own. */
export const aggregatedRights: Check = (subject) => {
  const { crd, release } = subject;
  const aggregated = release?.aggregated ?? subject.aggregated ?? [];
  const path = "spec.group";
  if (OWN_GROUPS.includes(crd.group)) return [pass({ path, found: crd.group })];
  const isNamed = aggregated.some(({ apiGroups }) => holds(apiGroups, crd.group));
  if (release === undefined && !isNamed) return [unknown(NEEDS_RELEASE, { path })];
  const missing = neededVerbs(subject).filter((verb) => !grants(aggregated, subject, verb));
  if (missing.length === 0) return [pass({ path, found: crd.group })];
  const expected = `a ClusterRole with the label cluster.x-k8s.io/aggregate-to-manager: "true" that grants ${missing.join(", ")} on ${crd.names.plural}`;
  return [fail({ path, found: crd.group, expected })];
};

function neededVerbs({ isTemplate, contractKind }: CrdSubject): readonly string[] {
  const isReadOnly = isTemplate && (contractKind === "ControlPlane" || contractKind === "InfraCluster");
  return isReadOnly ? TEMPLATE_VERBS : EVERY_VERB;
}

function grants(aggregated: AggregatedRights, { crd }: CrdSubject, verb: string): boolean {
  return aggregated.some(
    ({ apiGroups, resources, verbs }) =>
      holds(apiGroups, crd.group) && holds(resources, crd.names.plural) && holds(verbs, verb),
  );
}

function holds(list: readonly string[], name: string): boolean {
  return list.includes(name) || list.includes("*");
}
