import { counted } from "../../../shared/rules/conditions/counted.ts";
import { fieldManagersOf } from "../../operate/takeover/families.ts";
import { type Finding, filtersOf } from "../../operate/takeover/findings.ts";
import { type Standing, standingOf } from "../../operate/takeover/standing.ts";
import type { ClusterSurvey, Scope, Survey } from "../../operate/takeover/survey.ts";
import { bold, paint } from "../../platform/terminal/paint.ts";
import { ageOf, tableLines } from "../../platform/terminal/table.ts";
import { section } from "../tree/lines.ts";

const STANDS: { readonly [standing in Standing]: string } = {
  core: "Cluster API",
  "leaving-core": "paused, still Cluster API's",
  capstan: "Capstan",
  "leaving-capstan": "paused, still Capstan's",
  other: "another controller",
};

/** The plan as JSON. */
interface PlanReport {
  readonly schema: "capstan.dev/takeover-plan/v1";
  readonly way: "filter" | "lease";
  readonly lease: {
    readonly holder: string;
    readonly parked: boolean;
    readonly renewed: string | null;
  } | null;
  readonly coreFilter: string | null;
  readonly clusters: readonly PlannedCluster[];
  readonly findings: readonly Finding[];
}

interface PlannedCluster {
  readonly cluster: string;
  /** Objects by kind. */
  readonly objects: { readonly [kind: string]: number };
  /** Objects by who has them. */
  readonly stands: { readonly [standing in Standing]?: number };
  /** Field managers of its objects, with the number of objects. */
  readonly managers: { readonly [manager: string]: number };
}

export function planReport(survey: Survey, scope: Scope, findings: readonly Finding[]): PlanReport {
  const { core } = survey;
  const lease = core?.lease;
  return {
    schema: "capstan.dev/takeover-plan/v1",
    way: scope.parkLease ? "lease" : "filter",
    lease:
      lease === undefined
        ? null
        : { holder: lease.holder, parked: lease.parked, renewed: lease.renewed ?? null },
    coreFilter: core?.filter ?? null,
    clusters: survey.clusters.map((cluster) => planned(cluster, survey, scope)),
    findings,
  };
}

function planned({ name, members }: ClusterSurvey, survey: Survey, scope: Scope): PlannedCluster {
  const filters = filtersOf(survey, scope);
  return {
    cluster: name,
    objects: countBy(members, ({ kind }) => [kind.kind]),
    stands: countBy(members, ({ object }) => [standingOf(object, filters)]),
    managers: countBy(members, ({ object }) => fieldManagersOf(object)),
  };
}

/** Returns how often each text occurs, sorted by text. */
function countBy<T>(
  items: readonly T[],
  textsOf: (item: T) => readonly string[],
): { [text: string]: number } {
  const groups = Map.groupBy(items.flatMap(textsOf), (text) => text);
  const sorted = [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([text, of]) => [text, of.length]));
}

interface Shown {
  readonly scope: Scope;
  readonly findings: readonly Finding[];
  readonly now: Date;
}

/** Returns who leads, what stops it, what to know, and where each Cluster is. */
export function planLines(survey: Survey, { scope, findings, now }: Shown): readonly string[] {
  const of = (verdict: Finding["verdict"]) =>
    findings.filter((finding) => finding.verdict === verdict).map(findingLine);
  return [
    headline(survey, scope, findings),
    ...coreLines(survey, now),
    ...section("Stops it", of("fail")),
    ...section("To know", of("warn")),
    ...section("Clusters", clusterLines(survey, scope)),
  ];
}

function headline({ clusters }: Survey, { parkLease }: Scope, findings: readonly Finding[]): string {
  const fails = findings.filter(({ verdict }) => verdict === "fail").length;
  const objects = clusters.reduce((sum, { members }) => sum + members.length, 0);
  const way = parkLease
    ? "all at once, with the Lease parked"
    : "Cluster by Cluster, beside Cluster API's manager";
  const what = bold(`${counted(clusters.length, "Cluster")}, ${counted(objects, "object")}, ${way}`);
  return fails > 0
    ? `${what}: ${paint("red", `not yet, ${counted(fails, "finding")}`)}`
    : `${what}: ${paint("green", "nothing stops it")}`;
}

function coreLines({ core }: Survey, now: Date): readonly string[] {
  if (core === undefined) return [];
  const { deployment, filter, replicas, lease } = core;
  const of = filter === undefined ? "all objects" : `objects labelled ${filter}`;
  return [
    `Cluster API's manager ${deployment.namespace}/${deployment.name}: ${counted(replicas, "replica")}, works on ${of}; ${leaseText(lease, now)}`,
  ];
}

function leaseText(lease: NonNullable<Survey["core"]>["lease"], now: Date): string {
  if (lease === undefined) return "it has no Lease";
  const since = lease.renewed === undefined ? "" : `, ${ageOf(lease.renewed, now)} ago`;
  if (lease.parked) return `the Lease is ${paint("yellow", "parked by a take-over")}${since}`;
  return lease.holder === ""
    ? `the Lease is free${since}`
    : `${lease.holder} leads, renewed${since === "" ? " never" : since.slice(1)}`;
}

function clusterLines(survey: Survey, scope: Scope): readonly string[] {
  const rows = survey.clusters.map((cluster) => {
    const { cluster: name, objects, stands, managers } = planned(cluster, survey, scope);
    return [name, whereText(stands), countsText(objects), countsText(managers)];
  });
  return rows.length === 0 ? [] : tableLines(["CLUSTER", "WITH", "OBJECTS", "FIELD MANAGERS"], rows);
}

/** Returns a table by Cluster: requests that change nothing but a status or a field as numbers, all others by name. */
export function decisionLines(decisions: readonly Decisions[]): readonly string[] {
  const rows = decisions.map(({ cluster, wouldSend }) => {
    const verbs = countBy(wouldSend, (title) => [verbOf(title)]);
    const named = wouldSend.filter((title) => !CHANGES.has(verbOf(title)));
    return [cluster, countsText(verbs), named.join(", ")];
  });
  return section("Capstan would send first", tableLines(["CLUSTER", "REQUESTS", "OF THESE"], rows));
}
const CHANGES: ReadonlySet<string> = new Set(["apply", "patch"]);

function verbOf(title: string): string {
  return title.slice(0, title.indexOf(" "));
}

function whereText(stands: PlannedCluster["stands"]): string {
  const parts = Object.entries(stands) as readonly (readonly [Standing, number])[];
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return STANDS[only[0]];
  return parts.map(([standing, number]) => `${number} ${STANDS[standing]}`).join(", ");
}

function countsText(counts: { readonly [text: string]: number }): string {
  return Object.entries(counts)
    .map(([text, number]) => `${number} ${text}`)
    .join(", ");
}

export function findingLine({ verdict, object, found, next }: Finding): string {
  return `${paint(verdict === "fail" ? "red" : "yellow", object)}: ${found}; ${paint("dim", next)}`;
}

/** Requests that the functions would send for a Cluster if it were with Capstan now. */
export interface Decisions {
  /** `<namespace>/<name>` */
  readonly cluster: string;
  /** `delete Machine default/m1`, one for each request, sorted. */
  readonly wouldSend: readonly string[];
}
