import { type Contract, FIELDS, type Node, object, templateFields, text } from "./schemas.ts";

/** A CRD as a file has it, for tests to change. */
export interface RawCrd {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels: { [key: string]: string }; annotations: { [key: string]: string } };
  spec: {
    group: string;
    scope: string;
    names: { kind: string; plural: string; singular: string; listKind?: string };
    versions: RawVersion[];
  };
}

interface RawVersion {
  name: string;
  served: boolean;
  storage: boolean;
  schema: { openAPIV3Schema: Node };
  subresources: { status?: Node; scale?: Node };
}

interface Identity {
  readonly kind: string;
  readonly plural: string;
  readonly group: string;
}

/** One kind for each contract. */
const KINDS: { readonly [contractKind: string]: Identity } = {
  InfraMachinePool: identity("FooMachinePool", "infrastructure"),
  ControlPlane: identity("FooControlPlane", "controlplane"),
  InfraCluster: identity("FooCluster", "infrastructure"),
  InfraMachine: identity("FooMachine", "infrastructure"),
  BootstrapConfig: identity("FooConfig", "bootstrap"),
  IPAMPool: identity("FooPool", "ipam"),
};

function identity(kind: string, group: string): Identity {
  return { kind, plural: `${kind.toLowerCase()}s`, group: `${group}.cluster.x-k8s.io` };
}

/** Returns the CRD of a kind that keeps every rule of the contracts it claims: one version for each. */
export function goodCrd(
  contractKind: string,
  { contracts = BOTH }: { readonly contracts?: readonly Contract[] } = {},
): RawCrd {
  const named = KINDS[contractKind];
  if (named === undefined) throw new Error(`bug: no kind for ${contractKind}`);
  const crd = crdOf(
    named,
    contracts,
    (contract) => FIELDS[contractKind]?.[contract]() ?? { spec: {}, status: {} },
  );
  for (const version of crd.spec.versions) {
    if (contractKind !== "ControlPlane") continue;
    version.subresources.scale = {
      specReplicasPath: ".spec.replicas",
      statusReplicasPath: ".status.replicas",
      labelSelectorPath: ".status.selector",
    };
    nodeAt(version.schema.openAPIV3Schema, "spec")["required"] = ["version"];
  }
  if (contractKind === "IPAMPool") crd.metadata.labels["clusterctl.cluster.x-k8s.io/move"] = "";
  return crd;
}

const BOTH: readonly Contract[] = ["v1beta1", "v1beta2"];

/** The CRD of its template. */
export function goodTemplate(
  contractKind: string,
  { contracts = BOTH }: { readonly contracts?: readonly Contract[] } = {},
): RawCrd {
  const { kind, group } = KINDS[contractKind] ?? identity(contractKind, "infrastructure");
  const named = { kind: `${kind}Template`, plural: `${kind.toLowerCase()}templates`, group };
  const crd = crdOf(named, contracts, (contract) => templateFields(contractKind, contract));
  for (const version of crd.spec.versions) {
    nodeAt(version.schema.openAPIV3Schema, "spec")["required"] = ["template"];
    if (contractKind !== "InfraMachine") delete version.subresources.status;
  }
  return crd;
}

function crdOf(
  { kind, plural, group }: Identity,
  contracts: readonly Contract[],
  fieldsOf: (contract: Contract) => { readonly spec: Node; readonly status: Node },
): RawCrd {
  const labels = Object.fromEntries(contracts.map((name) => [`cluster.x-k8s.io/${name}`, name]));
  return structuredClone({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}`, labels, annotations: {} },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: contracts.map((name, index) => ({
        name,
        served: true,
        storage: index === contracts.length - 1,
        schema: { openAPIV3Schema: rootOf(fieldsOf(name)) },
        subresources: { status: {} },
      })),
    },
  });
}

function rootOf({ spec, status }: { readonly spec: Node; readonly status: Node }): Node {
  return object({
    apiVersion: text(),
    kind: text(),
    metadata: { type: "object" },
    spec: object(spec),
    status: object(status),
  });
}

/** The schema at a field of the version that a contract reads: `spec.replicas`, `status.conditions.[]`. */
export function schemaAt(crd: RawCrd, contract: Contract, field: string): Node {
  const version = crd.spec.versions.find(({ name }) => name === contract);
  if (version === undefined) throw new Error(`bug: ${crd.metadata.name} has no version ${contract}`);
  return nodeAt(version.schema.openAPIV3Schema, field);
}

/** Takes a field out of the schema that a contract reads. */
export function without(crd: RawCrd, contract: Contract, field: string): void {
  const parent = field.includes(".") ? field.slice(0, field.lastIndexOf(".")) : "";
  const node = parent === "" ? schemaRoot(crd, contract) : schemaAt(crd, contract, parent);
  const properties = node["properties"];
  const name = field.slice(field.lastIndexOf(".") + 1);
  if (!isNode(properties) || !(name in properties)) throw new Error(`bug: no field ${field}`);
  delete properties[name];
}

/** Puts another schema at a field; the field need not exist. */
export function withField(crd: RawCrd, contract: Contract, field: string, schema: Node): void {
  const node = schemaAt(crd, contract, field.slice(0, field.lastIndexOf(".")));
  const properties = isNode(node["properties"]) ? node["properties"] : {};
  properties[field.slice(field.lastIndexOf(".") + 1)] = schema;
  node["properties"] = properties;
}

/** Puts another schema at a member of the root. */
export function withRoot(crd: RawCrd, contract: Contract, name: string, schema: Node): void {
  const { properties } = schemaRoot(crd, contract);
  if (isNode(properties)) properties[name] = schema;
}

function schemaRoot(crd: RawCrd, contract: Contract): Node {
  const root = crd.spec.versions.find(({ name }) => name === contract)?.schema.openAPIV3Schema;
  if (root === undefined) throw new Error(`bug: no version ${contract}`);
  return root;
}

function nodeAt(root: Node, field: string): Node {
  let node: unknown = root;
  for (const step of field.split(".")) {
    const from: Node = isNode(node) ? node : {};
    const properties = from["properties"];
    if (step === "[]") node = from["items"];
    else if (step === "{}") node = from["additionalProperties"];
    else node = isNode(properties) ? properties[step] : undefined;
  }
  if (!isNode(node)) throw new Error(`bug: no field ${field}`);
  return node;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
