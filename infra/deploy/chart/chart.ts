import { readFile } from "node:fs/promises";
import { BROUGHT_BY } from "../../../shared/api/core.ts";
import { SERVED_ONLY } from "../../../shared/api/traits.ts";
import { alignedTable } from "../../platform/terminal/table.ts";
import { writeYaml } from "../../platform/yaml/write-yaml.ts";
import { crdsOf, objectsOf } from "../components.ts";
import type { Manifest } from "../deployment.ts";
import { base } from "../manifests/base.ts";
import { components, namespaceFolder } from "../manifests/components.ts";
import { NAMESPACE } from "../manifests/deployments.ts";
import { fromAnywhere } from "../manifests/network.ts";
import { CORE, type Provider } from "../providers.ts";
import { type Conditional, ofBase, templateOf, value, withComponent } from "./conditional.ts";
import { withNetworkValues } from "./network.ts";
import { AUTHORITY_MAP, withPodValues, withScalingValues } from "./pods.ts";
import { secretsTemplate } from "./secrets.ts";
import { type JsonSchema, valuesSchema } from "./values.ts";

export interface ChartOptions {
  /** Semantic version after a `v`. */
  readonly version: string;
  /** Registry and path of the image, without tag. */
  readonly image: string;
  readonly digest?: string | undefined;
  /** A provider to try it with, and the manifest of a Cluster. */
  readonly demo: { readonly providers: readonly Provider[]; readonly cluster: string };
}

/** The value that adds each component of kustomize. */
const CONDITIONS: { readonly [component: string]: string } = {
  "per-function": "$.Values.workers.perFunction",
  "workload-relays": "$.Values.workloadRelays.enabled",
  "owner-enforcement": "$.Values.rights.ownerEnforcement",
  takeover: "$.Values.takeover.enabled",
  monitors: "$.Values.monitoring.serviceMonitor",
  keda: 'eq $.Values.scaling.by "keda"',
  "keda-per-function": 'and $.Values.workers.perFunction (eq $.Values.scaling.by "keda")',
  "keda-prometheus": "$.Values.scaling.prometheus",
  hpa: 'eq $.Values.scaling.by "cpu"',
  "hpa-per-function": 'and $.Values.workers.perFunction (eq $.Values.scaling.by "cpu")',
  "watch-kubeconfigs": "$.Values.rights.watchKubeconfigs",
  alerts: "$.Values.monitoring.alerts",
  dashboards: "$.Values.monitoring.dashboards",
  traces: "$.Values.traces.enabled",
  console: "$.Values.console.enabled",
  "console-actions": "$.Values.console.actions",
  "v1beta2-only": "not $.Values.webhook.enabled",
  namespaced: "$.Values.rights.namespaced",
  hardened: "$.Values.rights.hardened",
};

/** Templates that follow from nothing else. */
const WRITTEN = ["_helpers.tpl", "_check.tpl", "NOTES.txt"];

/** Defaults that a release gives in place of those of the schema. */
interface Given {
  readonly [name: string]: unknown;
}

/** Returns `values.yaml`: each default beneath its description. */
function valuesFile(schema: JsonSchema, given: Given, indent = ""): string {
  return Object.entries(schema.properties ?? {})
    .map(([name, property]) => {
      const own = given[name];
      if (property.properties !== undefined)
        return `${indent}${name}:\n${valuesFile(property, (own ?? {}) as Given, `${indent}  `)}`;
      const value = writeYaml({ [name]: own ?? property.default });
      return `${indent}# ${property.description}\n${indent}${value}`;
    })
    .join(indent === "" ? "\n" : "");
}

/**
 * Returns path → content of the Helm chart. Its objects are those of the kustomize base and components, each under the
 * condition of a value; the definitions are templates, so that upgrades bring new ones, and stay when it is removed.
 */
export async function chartFiles(options: ChartOptions): Promise<ReadonlyMap<string, string>> {
  const { version, image, digest = "" } = options;
  const given = { image: { repository: image, digest } };
  const objects = [...(await conditionals()), ...(await demo(options.demo))].map(withValues);
  const templates = Map.groupBy(objects, ({ file }) => file);
  const schema = valuesSchema();
  return new Map([
    ["Chart.yaml", chartYaml(version)],
    ["values.yaml", valuesFile(schema, given)],
    ["values.schema.json", `${JSON.stringify(schema, undefined, 2)}\n`],
    ["README.md", chartReadme(schema, version)],
    ...[...templates].map(
      ([file, each]) => [`templates/${file}.yaml`, each.map(templateOf).join("")] as const,
    ),
    ["templates/check.yaml", '{{- include "capstan.check" $ }}\n'],
    ["templates/secrets.yaml", await secretsTemplate()],
    ["templates/namespaces.yaml", await boundNamespaces()],
    ...(await Promise.all(
      WRITTEN.map(
        async (name) =>
          [
            `templates/${name}`,
            await readFile(new URL(`templates/${name}`, import.meta.url), "utf8"),
          ] as const,
      ),
    )),
  ]);
}

/** Returns the README of the chart: every value with its default. */
function chartReadme(schema: JsonSchema, version: string): string {
  const rows = rowsOf(schema, "");
  return `# Capstan ${version}

Cluster API's core controllers as functions on a queue. A trial, with a Redis and a simulated provider of the chart:

\`\`\`sh
helm install capstan FILE_OR_REPOSITORY --namespace capstan-system --create-namespace --set redis.enabled=true --set demo.enabled=true
\`\`\`

Elsewhere, \`queue.url\` names your Redis. Helm refuses a value that is not in this table, and names it. Its definitions are kept when the chart is removed.

${alignedTable(["Value", "Default", "Meaning"], rows)}
`;
}

function rowsOf({ properties = {} }: JsonSchema, before: string): readonly (readonly string[])[] {
  return Object.entries(properties).flatMap(([name, property]) =>
    property.properties === undefined
      ? [[`\`${before}${name}\``, `\`${JSON.stringify(property.default)}\``, property.description ?? ""]]
      : rowsOf(property, `${before}${name}.`),
  );
}

function chartYaml(version: string): string {
  return writeYaml({
    apiVersion: "v2",
    name: "capstan",
    description: "Cluster API's core controllers as functions on a queue",
    type: "application",
    version: version.slice(1),
    appVersion: version,
    kubeVersion: ">=1.33.0-0",
  });
}

async function conditionals(): Promise<readonly Conditional[]> {
  let objects = ofBase(await base()).filter(({ object }) => object.kind !== "Namespace");
  for (const [name, folder] of Object.entries(await components())) {
    const condition = CONDITIONS[name];
    if (condition === undefined) throw new Error(`bug: the chart has no value for the component ${name}`);
    objects = [...withComponent(objects, name, folder, condition)];
  }
  return [...objects, ...definitions(crdsOf(CORE), "crds"), authorityMap()];
}

/** Returns definitions that are brought unless another owner or a newer release has brought them. */
function definitions(crds: readonly Manifest[], file: string): readonly Conditional[] {
  return crds.map((crd) => {
    const {
      name,
      ["annotations"]: annotations,
      ...metadata
    } = crd.metadata as typeof crd.metadata & Annotated;
    const kept = { [POLICY]: "keep", [BROUGHT_BY]: value("quote $.Chart.Version") };
    const object = { ...crd, metadata: { name, ...metadata, annotations: { ...annotations, ...kept } } };
    const asked = `(dict "root" $ "name" "${name}" "servedOnly" ${SERVED_ONLY.has(name)})`;
    return { object, when: ["$.Values.crds.install", `include "capstan.bringsDefinition" ${asked}`], file };
  });
}

interface Annotated {
  readonly annotations?: object;
}

function authorityMap(): Conditional {
  const object = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: AUTHORITY_MAP, namespace: NAMESPACE },
    data: { "ca.crt": value("quote $.Values.authority") },
  };
  return { object, when: ["$.Values.authority"], file: "authority" };
}

async function demo({ providers, cluster }: ChartOptions["demo"]): Promise<readonly Conditional[]> {
  const objects = (await Promise.all(providers.map(demoObjects))).flat();
  const isCrd = ({ kind }: Manifest) => kind === "CustomResourceDefinition";
  const map: Manifest = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "capstan-demo", namespace: NAMESPACE },
    data: { "cluster.yaml": cluster },
  };
  return [
    ...definitions(objects.filter(isCrd), "demo-crds"),
    ...[...objects.filter((each) => !isCrd(each)), map].map((object) => ({ object, when: [], file: "demo" })),
  ].map((each) => ({ ...each, when: ["$.Values.demo.enabled", ...each.when] }));
}

/** Returns the objects of a provider without its Namespace, beside those of Capstan, with the defaults of its variables. */
async function demoObjects(provider: Provider): Promise<readonly Manifest[]> {
  const { namespace } = provider;
  const objects = (await objectsOf(provider, "")).filter(({ kind }) => kind !== "Namespace");
  const policies = objects
    .filter(({ kind }) => kind === "Deployment")
    .map(({ metadata }) => openPolicy(metadata.name));
  const text = JSON.stringify([...objects, ...policies])
    .replaceAll(/\$\{\w+(?::=(\\"\\"|[^}]*)|:0:0)\}/g, (_, otherwise = "") => otherwise.replaceAll('\\"', ""))
    .replaceAll(/"replicas":"(\d+)"/g, '"replicas":$1')
    .replaceAll(`"namespace":"${namespace}"`, `"namespace":"${NAMESPACE}"`);
  return JSON.parse(text);
}

/** Lets a Pod of the simulated cloud reach all, and be reached: each workload server has a port of its own. */
function openPolicy(name: string): Manifest {
  const { spec, ...policy } = fromAnywhere(name, 0);
  return {
    ...policy,
    spec: { ...(spec as object), policyTypes: ["Ingress", "Egress"], ingress: [{}], egress: [{}] },
  };
}

/** Returns an object with what the values say of it. */
function withValues({ object, when, file }: Conditional): Conditional {
  const conditions = [
    ...(object.metadata.name === "capstan-redis" ? ["$.Values.redis.enabled"] : []),
    ...(object.kind === "NetworkPolicy" ? ["$.Values.networkPolicies.enabled"] : []),
  ];
  const isDemo = file === "demo";
  const changed = [withNetworkValues, withScalingValues, keptIfAggregated].reduce(
    (each, change) => change(each),
    withPodValues(object, { isDemo }),
  );
  return { object: changed, when: [...when, ...conditions], file };
}

/**
 * Keeps a role that the server fills when the release is removed, bound to nothing: the controller that fills it may bring
 * a deleted one back, which no release could take over.
 */
function keptIfAggregated(object: Manifest): Manifest {
  if (object["aggregationRule"] === undefined) return object;
  const annotations = { [POLICY]: "keep" };
  return { ...object, metadata: { ...object.metadata, ...{ annotations } } };
}

const POLICY = "helm.sh/resource-policy";

/** Returns what binds rights in the namespaces of the values. */
async function boundNamespaces(): Promise<string> {
  const bindings = Object.values((await namespaceFolder()).files).flat();
  const bound = bindings.map((object) => ({
    ...object,
    metadata: { ...object.metadata, namespace: value(".") },
  }));
  const documents = bound.map((object) => templateOf({ object, when: [] }));
  return [
    "{{- if or $.Values.rights.namespaced $.Values.rights.hardened }}\n{{- range $.Values.rights.namespaces }}\n",
    ...documents,
    "{{- end }}\n{{- end }}\n",
  ].join("");
}
