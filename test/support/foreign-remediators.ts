/**
 * Kinds of external remediation controllers, in own words and with the fields that matter here: one group with contract
 * labels and two served versions as Metal3's, one that demands a field as Hetzner's, one without contract label as that
 * of Medik8s. The controllers are played by tests.
 */

interface ForeignKind {
  readonly group: string;
  readonly kind: string;
  readonly versions: readonly string[];
  readonly labels?: string;
  /** Schema of the spec of a request. */
  readonly spec: string;
}

const PROVIDERS = "infrastructure.cluster.x-k8s.io";
export const FENCE_GROUP = "fence-agents-remediation.medik8s.io";
const OPEN = "{ type: object, x-kubernetes-preserve-unknown-fields: true }";

const KINDS: readonly ForeignKind[] = [
  {
    group: PROVIDERS,
    kind: "MetalRemediation",
    versions: ["v1beta1", "v1beta2"],
    labels: "{ cluster.x-k8s.io/v1beta1: v1beta1, cluster.x-k8s.io/v1beta2: v1beta2 }",
    spec: OPEN,
  },
  {
    group: PROVIDERS,
    kind: "CloudRemediation",
    versions: ["v1beta1"],
    labels: "{ cluster.x-k8s.io/v1beta1: v1beta1 }",
    spec: "{ type: object, required: [strategy], properties: { strategy: { type: string, enum: [Reboot] } } }",
  },
  {
    group: FENCE_GROUP,
    kind: "FenceRemediation",
    versions: ["v1alpha1"],
    spec: OPEN,
  },
];

function definition({ group, kind, versions, labels = "{}" }: ForeignKind, spec: string): string {
  const plural = `${kind.toLowerCase()}s`;
  const served = versions.map(
    (name, index) => `
    - name: ${name}
      served: true
      storage: ${index === versions.length - 1}
      subresources: { status: {} }
      schema:
        openAPIV3Schema:
          type: object
          properties: { spec: ${spec}, status: ${OPEN} }`,
  );
  return `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: ${plural}.${group}, labels: ${labels} }
spec:
  group: ${group}
  scope: Namespaced
  names: { kind: ${kind}, plural: ${plural}, singular: ${kind.toLowerCase()}, listKind: ${kind}List }
  versions:${served.join("")}
`;
}

/** The CRDs of all of them, templates included. */
export const FOREIGN_REMEDIATORS = KINDS.flatMap((kind) => [
  definition(kind, kind.spec),
  definition({ ...kind, kind: `${kind.kind}Template` }, OPEN),
]).join("---");

/** Reference and manifest of a template in a version of its kind; `content` is `spec.template`. */
export function foreignTemplate(kind: string, version: string, name: string, content: string) {
  const group = KINDS.find((known) => known.kind === kind)?.group ?? "";
  const apiVersion = `${group}/${version}`;
  const manifest = `
apiVersion: ${apiVersion}
kind: ${kind}Template
metadata: { name: ${name}, namespace: default }
spec: { template: ${content} }
`;
  const reference = `{ apiVersion: ${apiVersion}, kind: ${kind}Template, name: ${name} }`;
  return { reference, manifest };
}
