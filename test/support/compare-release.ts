import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { loadCrds, toCrd } from "../../infra/platform/crds/crd.ts";
import { FILE_BOUNDS, readYaml } from "../../infra/platform/yaml/read-yaml.ts";
import { valueAt } from "../../shared/api/path.ts";
import { KINDS } from "../../shared/api/registry.ts";
import { fieldsRead, type Resource, upstreamMetrics } from "./custom-resource-metrics.ts";
import { PUBLISHED_CONFIG } from "./processes/cluster-api.ts";

const VERSION = "v1beta2";

/** Our CRDs have their older versions only where a webhook converts them. */
const CONVERTING = { url: "https://localhost/convert" };

const NO_ADMISSION = "ours: Cluster API's webhook refuses the same, and Capstan runs without admission";

const NO_DEFAULTING =
  "ours: Cluster API's webhook fills it before the schema asks for it; here machinedeployment-guard does";

const SAME_DEFAULT = "ours: Cluster API's webhook fills in the same";

const NO_CLUSTER =
  "ours: bindings of Cluster API before v1.10 have none, and clusterresourceset-binding fills it";

const MORE_LABELS = "ours: the label of the Cluster is added to what an author applies again";

/** Differences on purpose: path as printed → why. Every other difference fails the comparison. */
const EXPLAINED: ReadonlyMap<string, string> = new Map([
  ["machinedeployments/schema/spec#required", NO_DEFAULTING],
  ["machinedeployments/schema/spec/rollout/strategy#required", NO_DEFAULTING],
  ...[
    "",
    "/strategy",
    "/strategy/type",
    "/strategy/rollingUpdate/maxSurge",
    "/strategy/rollingUpdate/maxUnavailable",
  ].map((path) => [`machinedeployments/schema/spec/rollout${path}#default`, NO_DEFAULTING] as const),
  ["machinedeployments/schema/spec/selector/matchLabels#nullable", NO_DEFAULTING],
  ["machinedeployments/schema/spec/selector#x-kubernetes-map-type", MORE_LABELS],
  ["machinesets/schema/spec/selector#x-kubernetes-map-type", MORE_LABELS],
  ["clusterresourcesetbindings/schema#required", NO_CLUSTER],
  ["clusterresourcesetbindings/schema/spec#required", NO_CLUSTER],
  ...[
    "clusterresourcesets/schema/spec/strategy#default",
    "machinehealthchecks/schema/spec/checks#default",
    "machinehealthchecks/schema/spec/checks/nodeStartupTimeoutSeconds#default",
    "machinepools/schema/spec/template/spec/deletion#default",
    "machinepools/schema/spec/template/spec/deletion/nodeDeletionTimeoutSeconds#default",
    "machines/schema/spec/deletion#default",
    "machines/schema/spec/deletion/nodeDeletionTimeoutSeconds#default",
  ].map((path) => [path, SAME_DEFAULT] as const),
]);

/** Syntax of labels, which Cluster API's webhook checks: of their values in maps, and of requirements on them. */
const LABEL_SYNTAX =
  /(\/(labels|matchLabels)#additionalProperties|\/matchExpressions#items(\/key|\/values#items)?)#(pattern|minLength|maxLength|anyOf)$/;

/** Returns why a fact of ours differs on purpose: a rule beside all that are published is one of the webhook. */
function explanationOf(path: string, ours: string | undefined, published: string | undefined) {
  const isAdded = ours !== undefined && published === undefined;
  if (isAdded && LABEL_SYNTAX.test(path)) return NO_ADMISSION;
  if (path.endsWith("#x-kubernetes-validations") && ours !== undefined) {
    const kept = new Set(rulesIn(ours));
    if (rulesIn(published ?? "[]").every((rule) => kept.has(rule))) return NO_ADMISSION;
  }
  return EXPLAINED.get(path);
}

function rulesIn(fact: string): readonly string[] {
  return (JSON.parse(fact) as readonly unknown[]).map((rule) => JSON.stringify(rule));
}

/** One path where ours and the published CRD differ; values as JSON, `undefined` where it is absent. */
interface Difference {
  readonly path: string;
  readonly ours: string | undefined;
  readonly published: string | undefined;
  /** Why it differs on purpose. */
  readonly explained: string | undefined;
}

type Facts = Map<string, string>;

/** Order has no meaning in these lists. */
const SETS = new Set(["required", "enum", "shortNames", "categories"]);

/**
 * Returns every fact of a schema by path: `spec/template/spec/version#maxLength` → `256`. Descriptions are left out.
 */
function addSchemaFacts(facts: Facts, path: string, schema: object): void {
  for (const [member, value] of Object.entries(schema)) {
    if (member === "description") continue;
    if (member === "properties") {
      for (const [name, property] of Object.entries(value)) {
        facts.set(`${path}/${name}`, "a property");
        addSchemaFacts(facts, `${path}/${name}`, property as object);
      }
    } else if (member === "items" || (member === "additionalProperties" && typeof value === "object")) {
      addSchemaFacts(facts, `${path}#${member}`, value);
    } else {
      facts.set(`${path}#${member}`, canonical(member, value));
    }
  }
}

function canonical(member: string, value: unknown): string {
  if (SETS.has(member) && Array.isArray(value)) return JSON.stringify(value.map(String).sort(byText));
  // `\/` and `/` are the same in both dialects of regular expressions.
  if (member === "pattern") return JSON.stringify(String(value).replaceAll("\\/", "/"));
  return JSON.stringify(value, (_, part: unknown) => (isPlain(part) ? sorted(part) : part));
}

function isPlain(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sorted(value: object): object {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([member]) => member !== "description")
      .sort(([a], [b]) => byText(a, b)),
  );
}

function byText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** Facts of one version of a CRD that users and clients can see. */
function factsOf(crd: unknown): Facts {
  const plural = String(valueAt(crd, "spec.names.plural"));
  const versions = valueAt(crd, "spec.versions");
  const version: unknown = Array.isArray(versions)
    ? versions.find((candidate) => valueAt(candidate, "name") === VERSION)
    : undefined;
  const facts: Facts = new Map([
    [`${plural}/group`, canonical("group", valueAt(crd, "spec.group"))],
    [`${plural}/scope`, canonical("scope", valueAt(crd, "spec.scope"))],
    [`${plural}/subresources`, canonical("subresources", valueAt(version, "subresources"))],
  ]);
  for (const [member, value] of Object.entries(Object(valueAt(crd, "spec.names")))) {
    facts.set(`${plural}/names/${member}`, canonical(member, value));
  }
  const columns = valueAt(version, "additionalPrinterColumns");
  for (const [position, column] of (Array.isArray(columns) ? columns : []).entries()) {
    facts.set(`${plural}/columns/${position}`, canonical("column", column));
  }
  addSchemaFacts(facts, `${plural}/schema`, Object(valueAt(version, "schema.openAPIV3Schema")));
  for (const older of Array.isArray(versions) ? versions : []) {
    if (older !== version && valueAt(older, "served") === true) addFieldFacts(facts, plural, older);
  }
  return facts;
}

/** Of an older version the fields alone are facts, and their types: what a field may hold is said by the stored version. */
function addFieldFacts(facts: Facts, plural: string, version: unknown): void {
  const every: Facts = new Map();
  const path = `${plural}/${String(valueAt(version, "name"))}/schema`;
  addSchemaFacts(every, path, Object(valueAt(version, "schema.openAPIV3Schema")));
  for (const [field, fact] of every) if (/(\/[^#/]+|#type)$/.test(field)) facts.set(field, fact);
}

/** Returns every difference between one of our CRDs and a published one, in both directions, sorted by path. */
export function differences(ours: unknown, published: unknown): readonly Difference[] {
  const [left, right] = [factsOf(ours), factsOf(published)];
  return [...new Set([...left.keys(), ...right.keys()])]
    .filter((path) => left.get(path) !== right.get(path))
    .sort(byText)
    .map((path) => {
      const sides = [left.get(path), right.get(path)] as const;
      return { path, ours: sides[0], published: sides[1], explained: explanationOf(path, ...sides) };
    });
}

/**
 * Compares the CRDs that Cluster API publishes in a folder, one in a file, with ours. One that we do not have is a
 * difference of its own.
 */
export async function compareFolder(folder: string): Promise<readonly Difference[]> {
  const ours = new Map((await loadCrds(KINDS, CONVERTING)).map((crd) => [crd.metadata.name, crd]));
  const found: Difference[] = [];
  for (const file of (await readdir(folder)).filter((name) => name.endsWith(".yaml")).sort(byText)) {
    const [published] = readYaml(await readFile(join(folder, file), "utf8"), FILE_BOUNDS);
    const name = String(valueAt(published?.value, "metadata.name"));
    const own = ours.get(name);
    if (own !== undefined) found.push(...differences(own, published?.value));
    else found.push({ path: name, ours: undefined, published: "a kind", explained: undefined });
  }
  return found;
}

/**
 * Returns the fields of our kinds that a configuration for kube-state-metrics reads, and that our schemas lack. Metadata is
 * in no schema.
 */
export function compareMetrics(resources: readonly Resource[]): readonly Difference[] {
  return resources.flatMap((resource) => {
    const { group, version, kind } = resource.groupVersionKind;
    const own = KINDS.find((each) => each.group === group && each.kind === kind);
    if (own === undefined) return [];
    const fields = new Set([...factsOf(toCrd(own)).keys()].map((fact) => fact.replaceAll("#items", "")));
    const missing = fieldsRead(resource)
      .filter((field) => field !== "" && !field.startsWith("metadata."))
      .filter((field) => !fields.has(`${own.plural}/schema/${field.replaceAll(".", "/")}`));
    return [...missing, ...(version === VERSION ? [] : [version])].map((fact) => ({
      path: `${own.plural}/metrics/${fact}`,
      ours: undefined,
      published: "read by a metric",
      explained: undefined,
    }));
  });
}

/** Returns how we differ from a release: from its folder `config`, that of the one that is built here by default. */
export async function compareRelease(config = PUBLISHED_CONFIG): Promise<readonly Difference[]> {
  const kinds = await compareFolder(join(config, "crd/bases"));
  return [...kinds, ...compareMetrics(await upstreamMetrics(config))];
}

async function main(config: string | undefined): Promise<void> {
  if (config === undefined) {
    throw new Error(
      "name the folder `config` of a release of Cluster API: npm run compare-release -- config",
    );
  }
  const found = await compareRelease(config);
  for (const { path, ours, published, explained } of found) {
    console.log(`${explained === undefined ? "DIFFERS" : "on purpose"} ${path}`);
    console.log(`  ours      ${ours ?? "-"}\n  published ${published ?? "-"}`);
    if (explained !== undefined) console.log(`  why       ${explained}`);
  }
  const unexplained = found.filter(({ explained }) => explained === undefined).length;
  console.log(`${found.length} differences, ${unexplained} of them not explained`);
  if (unexplained > 0) process.exitCode = 1;
}

if (import.meta.main) await main(process.argv[2]);
