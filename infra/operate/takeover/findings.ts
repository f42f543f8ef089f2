import { WATCH_FILTER_LABEL } from "../../../shared/api/indexes.ts";
import { apiVersionOf, type KubeObject } from "../../../shared/api/kinds.ts";
import { IN_PLACE_UPDATE, MOVES_MACHINES } from "../../../shared/rules/machines/annotations.ts";
import { missingFields } from "../../platform/crds/missing-fields.ts";
import type { Core } from "./core.ts";
import { FAMILIES, type Member } from "./families.ts";
import { type Filters, isHeldByUser, standingOf } from "./standing.ts";
import type { ClusterSurvey, Scope, Survey } from "./survey.ts";

/** Something that stops a take-over (`fail`), or that its operator should know (`warn`). */
export interface Finding {
  readonly verdict: "fail" | "warn";
  /** `Cluster default/demo` */
  readonly object: string;
  readonly found: string;
  /** The next step of the operator. */
  readonly next: string;
}

/** Judges whether `start` may begin, or continue. */
export function judge(survey: Survey, scope: Scope): readonly Finding[] {
  const filters = filtersOf(survey, scope);
  return [
    ...definitionFindings(survey),
    ...coreFindings(survey, scope),
    ...rightsFindings(survey.missingRights),
    ...scopeFindings(survey, scope),
    ...survey.clusters.flatMap((cluster) => [
      ...labelFindings(cluster, filters),
      ...topologyFindings(cluster),
      ...makerFindings(cluster, filters),
      ...updatingFindings(cluster, filters),
      ...heldFindings(cluster),
    ]),
  ];
}

/** Judges whether `back` may begin, or continue. */
export function judgeBack(survey: Survey, scope: Scope): readonly Finding[] {
  return [
    ...definitionFindings(survey),
    ...(survey.core === undefined ? coreFindings(survey, scope) : awayFindings(survey.core)),
    ...rightsFindings(survey.missingRights),
    ...scopeFindings(survey, scope),
  ];
}

export function filtersOf({ core }: Survey, scope: Scope): Filters {
  return { core: core?.filter, capstan: scope.filter };
}

export function fail(object: string, found: string, next: string): Finding {
  return { verdict: "fail", object, found, next };
}

export function warn(object: string, found: string, next: string): Finding {
  return { verdict: "warn", object, found, next };
}

function definitionFindings({ definitions }: Survey): readonly Finding[] {
  return FAMILIES.flatMap((kind) => {
    const object = `CustomResourceDefinition ${kind.plural}.${kind.group}`;
    const crd = definitions.get(kind.kind);
    const upgrade = "upgrade Cluster API to v1.14 (clusterctl upgrade apply)";
    if (crd === undefined)
      return [
        fail(object, "does not exist", "install Cluster API v1.14, or name its cluster with --kubeconfig"),
      ];
    const versions = crd.spec.versions.filter(({ served }) => served).map(({ name }) => name);
    if (!versions.includes(kind.version)) {
      return [
        fail(object, `serves ${versions.join(", ")}, and Capstan needs ${apiVersionOf(kind)}`, upgrade),
      ];
    }
    const lacking = missingFields(kind, crd);
    // A status does without them.
    const judged = lacking.every((field) => field.startsWith("status.")) ? warn : fail;
    return lacking.length === 0 ? [] : [judged(object, `${kind.version} lacks ${someOf(lacking)}`, upgrade)];
  });
}

function coreFindings({ core }: Survey, scope: Scope): readonly Finding[] {
  const object = `Deployment ${scope.core.namespace}/${scope.core.name}`;
  if (core === undefined) {
    return [fail(object, "does not exist", "name that of Cluster API's manager with --core NAMESPACE/NAME")];
  }
  return scope.parkLease ? leaseFindings(core, object) : filterFindings(core, object, scope);
}

function awayFindings({ deployment, replicas }: Core): readonly Finding[] {
  const object = `Deployment ${deployment.namespace}/${deployment.name}`;
  const next = "bring the manager back first: capstan takeover retire --undo, where it was retired";
  return replicas === 0 ? [fail(object, "has no replica", next)] : [];
}

function leaseFindings({ deployment, leaseKey, lease, replicas }: Core, object: string): readonly Finding[] {
  const name = `Lease ${leaseKey.namespace}/${leaseKey.name}`;
  const scale = `kubectl --namespace ${deployment.namespace} scale deployment/${deployment.name} --replicas=2`;
  return [
    ...(lease === undefined ? [fail(name, "does not exist", "run the manager with --leader-elect")] : []),
    ...(lease?.holder === "" ? [warn(name, "is free: no manager leads now", "start takes it")] : []),
    ...(replicas < 2 ? [warn(object, "has one replica: no webhook answers while it restarts", scale)] : []),
  ];
}

function filterFindings({ leaseKey, lease, filter }: Core, object: string, scope: Scope): readonly Finding[] {
  const name = `Lease ${leaseKey.namespace}/${leaseKey.name}`;
  const proceed = "continue with start --park-lease, or return with back";
  const give = "give it one (infra/guides/take-over.md), or take all Clusters at once with --park-lease";
  const same = `has Capstan's own --watch-filter ${filter}`;
  return [
    ...(lease?.parked === true ? [fail(name, "is parked by a take-over of all Clusters", proceed)] : []),
    ...(filter === undefined
      ? [fail(object, "has no --watch-filter, so it works on every object", give)]
      : []),
    ...(filter === scope.filter
      ? [fail(object, same, "name that of Capstan's relay with --watch-filter")]
      : []),
  ];
}

export function rightsFindings(missingRights: readonly string[]): readonly Finding[] {
  if (missingRights.length === 0) return [];
  const next = "grant them, or use another kubeconfig";
  return [fail("this account", `lacks the right to ${someOf(missingRights)}`, next)];
}

function scopeFindings({ clusters }: Survey, scope: Scope): readonly Finding[] {
  const missing = scope.clusters.filter((name) => !clusters.some((each) => each.name === name));
  const absent = missing.map((name) =>
    fail(`Cluster ${name}`, "does not exist", "kubectl get clusters --all-namespaces lists them"),
  );
  if (!scope.parkLease || scope.clusters.length === 0) return absent;
  const why = "no manager of Cluster API leads meanwhile, so all Clusters change hands";
  return [...absent, fail("a parked Lease", why, "leave out their names")];
}

const KEPT_NEXT = "Capstan does not run topologies, so its Cluster stays with Cluster API's manager";

/** A Cluster with a topology stays with Cluster API's manager as a whole. */
export function topologyFindings({ name, cluster }: ClusterSurvey): readonly Finding[] {
  if (cluster.spec.topology === undefined) return [];
  return [fail(`Cluster ${name}`, "has a topology, which Cluster API's manager keeps", KEPT_NEXT)];
}

/** Objects that neither side would have. */
function labelFindings({ name, members }: ClusterSurvey, filters: Filters): readonly Finding[] {
  const others = members.filter(({ object }) => standingOf(object, filters) === "other");
  const byLabel = Map.groupBy(others, ({ object }) => object.metadata.labels?.[WATCH_FILTER_LABEL]);
  return [...byLabel].map(([label, found]) => {
    const value =
      filters.core === undefined ? `${WATCH_FILTER_LABEL}-` : `${WATCH_FILTER_LABEL}=${filters.core}`;
    const what =
      label === undefined ? `no label ${WATCH_FILTER_LABEL}` : `label ${WATCH_FILTER_LABEL}=${label}`;
    return fail(
      `Cluster ${name}`,
      `${what} on ${someOf(found.map(titleOf))}`,
      `kubectl label --overwrite them ${value}, or leave this Cluster out`,
    );
  });
}

/** The label of a template changes hands with the Cluster. */
function makerFindings({ name, makers }: ClusterSurvey, { capstan }: Filters): readonly Finding[] {
  const next = `label each new one ${WATCH_FILTER_LABEL}=${capstan}; until then no manager works on it`;
  return makers.flatMap(({ title, template }) =>
    template === undefined
      ? [warn(`Cluster ${name}`, `${title} makes Machines and has no labels for them`, next)]
      : [],
  );
}

/** Sets whose Machines Cluster API's manager moves into another one, and Machines that it updates in place. */
function updatingFindings({ name, members }: ClusterSurvey, filters: Filters): readonly Finding[] {
  const updating = members.filter(({ object: { metadata } }) =>
    [MOVES_MACHINES, IN_PLACE_UPDATE].some((key) => Object.hasOwn(metadata.annotations ?? {}, key)),
  );
  const isOurs = ({ object }: Member) => standingOf(object, filters) === "capstan";
  const [ours, theirs] = [updating.filter(isOurs), updating.filter((member) => !isOurs(member))];
  const found = (some: readonly Member[]) => `is updated in place: ${someOf(some.map(titleOf))}`;
  const left = "Capstan finishes no such update: delete the Machine to have it replaced, or return with back";
  return [
    ...(theirs.length === 0
      ? []
      : [fail(`Cluster ${name}`, found(theirs), "wait until that rollout is over")]),
    ...(ours.length === 0 ? [] : [warn(`Cluster ${name}`, found(ours), left)]),
  ];
}

function heldFindings({ name, cluster, members }: ClusterSurvey): readonly Finding[] {
  const held = [
    ...(cluster.spec.paused === true ? ["Cluster.spec.paused"] : []),
    ...members.filter(({ object }) => isHeldByUser(object)).map(titleOf),
  ];
  if (held.length === 0) return [];
  return [
    warn(`Cluster ${name}`, `is paused by a user: ${someOf(held)}`, "it changes hands and stays paused"),
  ];
}

function titleOf({ object }: { readonly object: KubeObject }): string {
  return `${object.kind} ${object.metadata.name}`;
}

const MAX_NAMED = 5;
function someOf(texts: readonly string[]): string {
  const more = texts.length - MAX_NAMED;
  return more > 0 ? `${texts.slice(0, MAX_NAMED).join(", ")} and ${more} more` : texts.join(", ");
}
