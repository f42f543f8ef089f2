import { COMMON_ROWS } from "./broken-common.ts";
import { KINDS, PREFIXES, type Row } from "./broken-row.ts";
import { type RawCrd, schemaAt, withField, without } from "./crds.ts";
import type { Contract, Node } from "./schemas.ts";

export { KINDS, PREFIXES };

type Change = (crd: RawCrd) => void;

function absent(contract: Contract, field: string): readonly [string, Change] {
  return [`${field} is absent under ${contract}`, (crd) => without(crd, contract, field)];
}

function typed(contract: Contract, field: string, schema: Node): readonly [string, Change] {
  return [
    `${field} is ${JSON.stringify(schema)} under ${contract}`,
    (crd) => withField(crd, contract, field, schema),
  ];
}

function changed(contract: Contract, field: string, members: Node): readonly [string, Change] {
  const title = `${field} has ${JSON.stringify(members)} under ${contract}`;
  return [title, (crd) => Object.assign(schemaAt(crd, contract, field), members)];
}

function fail(rule: string, kind: string, [title, change]: readonly [string, Change]): Row {
  return { verdict: "fail", rule, kind, title, change };
}

function warn(rule: string, kind: string, named: readonly [string, Change]): Row {
  return { ...fail(rule, kind, named), verdict: "warn" };
}

function ofTemplate(row: Row): Row {
  return { ...row, template: true };
}

const INT_OR_STRING = { "x-kubernetes-int-or-string": true };
const TEXT = { type: "string" };
const INTEGER = { type: "integer" };
const BOOLEAN = { type: "boolean" };
const OBJECT = { type: "object" };
const OLD = "v1beta1";
const NEW = "v1beta2";

/** Conditions, failures and templates, with the numbers they have in each contract. */
const SHARED: readonly Row[] = [
  { kind: "InfraMachinePool", conditions: "IMP-22", failure: "IMP-24", template: "IMP-27" },
  { kind: "InfraCluster", conditions: "IC-16", failure: "IC-17", template: "IC-19" },
  { kind: "InfraMachine", conditions: "IM-18", failure: "IM-19", template: "IM-21" },
  { kind: "BootstrapConfig", conditions: "BC-15", failure: "BC-16", template: "BC-18" },
  { kind: "ControlPlane", conditions: "CP-30", failure: "CP-31", template: "CP-33" },
].flatMap(({ kind, conditions, failure, template }) => [
  warn(conditions, kind, absent(OLD, "status.conditions")),
  warn(conditions, kind, absent(NEW, "status.conditions")),
  warn(conditions, kind, typed(NEW, "status.conditions.[].severity", TEXT)),
  warn(conditions, kind, absent(NEW, "status.conditions.[].observedGeneration")),
  warn(conditions, kind, changed(NEW, "status.conditions", { "x-kubernetes-list-type": "atomic" })),
  fail(conditions, kind, absent(OLD, "status.conditions.[].status")),
  fail(conditions, kind, typed(NEW, "status.conditions", TEXT)),
  fail(failure, kind, typed(OLD, "status.failureReason", INTEGER)),
  warn(failure, kind, typed(NEW, "status.failureMessage", TEXT)),
  ofTemplate(fail(template, kind, absent(NEW, "spec.template.spec"))),
  ofTemplate(warn(template, kind, absent(NEW, "spec.template.metadata"))),
  ofTemplate(warn(template, kind, absent(OLD, "spec.template.metadata.labels"))),
  ofTemplate(warn(template, kind, changed(NEW, "spec", { required: [] }))),
]);

const POOL = "InfraMachinePool";
const CLUSTER = "InfraCluster";
const MACHINE = "InfraMachine";
const CONFIG = "BootstrapConfig";
const PLANE = "ControlPlane";

const POOL_ROWS: readonly Row[] = [
  fail("IMP-13", POOL, absent(NEW, "spec.providerIDList")),
  fail("IMP-13", POOL, changed(NEW, "spec.providerIDList.[]", INT_OR_STRING)),
  warn("IMP-14", POOL, changed(OLD, "spec.providerIDList", { maxItems: 10_001 })),
  warn("IMP-14", POOL, changed(NEW, "spec.providerIDList", { "x-kubernetes-list-type": "set" })),
  warn("IMP-15", POOL, absent(NEW, "status.initialization.provisioned")),
  fail("IMP-15", POOL, typed(NEW, "status.initialization.provisioned", TEXT)),
  fail("IMP-16", POOL, absent(OLD, "status.ready")),
  fail("IMP-16", POOL, typed(NEW, "status.ready", TEXT)),
  fail("IMP-17", POOL, absent(NEW, "status.replicas")),
  fail("IMP-17", POOL, typed(NEW, "status.replicas", INT_OR_STRING)),
  warn("IMP-18", POOL, typed(NEW, "spec.providerID", INTEGER)),
  warn("IMP-19", POOL, absent(NEW, "status.instances.[].providerID")),
  warn("IMP-19", POOL, typed(NEW, "status.instances", TEXT)),
  fail("IMP-20", POOL, typed(NEW, "status.infrastructureMachineKind", OBJECT)),
];

const CLUSTER_ROWS: readonly Row[] = [
  fail("IC-13", CLUSTER, absent(OLD, "spec.controlPlaneEndpoint.port")),
  fail("IC-13", CLUSTER, typed(NEW, "spec.controlPlaneEndpoint.port", TEXT)),
  warn("IC-13", CLUSTER, changed(NEW, "spec.controlPlaneEndpoint", { required: ["host"] })),
  fail(
    "IC-14",
    CLUSTER,
    typed(NEW, "status.failureDomains", { type: "object", additionalProperties: OBJECT }),
  ),
  fail("IC-14", CLUSTER, typed(OLD, "status.failureDomains", { type: "array", items: OBJECT })),
  fail("IC-14", CLUSTER, typed(OLD, "status.failureDomains.{}.controlPlane", TEXT)),
  warn("IC-14", CLUSTER, changed(NEW, "status.failureDomains", { maxItems: 101 })),
  fail("IC-15", CLUSTER, absent(NEW, "status.initialization.provisioned")),
  fail("IC-15", CLUSTER, absent(OLD, "status.ready")),
];

const MACHINE_ROWS: readonly Row[] = [
  fail("IM-13", MACHINE, absent(NEW, "spec.providerID")),
  fail("IM-14", MACHINE, typed(NEW, "status.failureDomain", INTEGER)),
  warn("IM-14", MACHINE, changed(NEW, "status.failureDomain", { maxLength: 300 })),
  warn("IM-15", MACHINE, typed(NEW, "spec.failureDomain", TEXT)),
  fail("IM-15", MACHINE, typed(OLD, "spec.failureDomain", BOOLEAN)),
  fail("IM-16", MACHINE, absent(NEW, "status.addresses.[].address")),
  fail("IM-17", MACHINE, absent(NEW, "status.initialization.provisioned")),
  fail("IM-17", MACHINE, typed(OLD, "status.ready", TEXT)),
  ofTemplate(fail("IM-22", MACHINE, typed(NEW, "status.capacity", TEXT))),
  ofTemplate(
    warn("IM-22", MACHINE, [
      "a template has status.capacity without the status subresource",
      (crd) => {
        for (const { subresources } of crd.spec.versions) delete subresources.status;
      },
    ]),
  ),
];

const CONFIG_ROWS: readonly Row[] = [
  fail("BC-13", CONFIG, absent(OLD, "status.dataSecretName")),
  warn("BC-13", CONFIG, changed(NEW, "status.dataSecretName", { minLength: 0 })),
  fail("BC-14", CONFIG, absent(NEW, "status.initialization.dataSecretCreated")),
  fail("BC-14", CONFIG, absent(OLD, "status.ready")),
];

const ADDRESS_ROWS: readonly Row[] = [
  warn("IP-13", "IPAMPool", absent(NEW, "status.conditions")),
  warn("IP-14", "IPAMPool", [
    "the CRD has no label to move by",
    (crd) => {
      delete crd.metadata.labels["clusterctl.cluster.x-k8s.io/move"];
    },
  ]),
];

const MACHINES = "spec.machineTemplate";

const PLANE_ROWS: readonly Row[] = [
  fail("CP-13", PLANE, absent(NEW, "spec.controlPlaneEndpoint.host")),
  fail("CP-14", PLANE, typed(NEW, "spec.replicas", TEXT)),
  fail("CP-15", PLANE, absent(NEW, "status.upToDateReplicas")),
  fail("CP-15", PLANE, absent(OLD, "status.unavailableReplicas")),
  fail("CP-16", PLANE, absent(OLD, "status.selector")),
  fail("CP-17", PLANE, scale({ labelSelectorPath: ".status.labels" })),
  fail("CP-17", PLANE, [
    "the scale subresource is absent",
    (crd) => {
      for (const { subresources } of crd.spec.versions) delete subresources.scale;
    },
  ]),
  warn("CP-18", PLANE, changed(NEW, "spec", { required: [] })),
  fail("CP-18", PLANE, typed(OLD, "spec.version", INTEGER)),
  fail("CP-19", PLANE, absent(OLD, "status.version")),
  fail("CP-19", PLANE, absent(NEW, "status.versions")),
  fail("CP-19", PLANE, absent(NEW, "status.versions.[].version")),
  warn("CP-19", PLANE, [
    "status.version alone under v1beta2",
    (crd) => {
      without(crd, NEW, "status.versions");
      withField(crd, NEW, "status.version", TEXT);
    },
  ]),
  fail("CP-21", PLANE, absent(NEW, `${MACHINES}.spec.infrastructureRef.apiGroup`)),
  fail("CP-21", PLANE, typed(NEW, `${MACHINES}.spec.infrastructureRef.namespace`, TEXT)),
  fail("CP-21", PLANE, absent(OLD, `${MACHINES}.metadata`)),
  warn("CP-21", PLANE, changed(NEW, MACHINES, { properties: {} })),
  warn("CP-22", PLANE, absent(NEW, `${MACHINES}.spec.deletion.nodeDrainTimeoutSeconds`)),
  fail("CP-22", PLANE, typed(OLD, `${MACHINES}.nodeDeletionTimeout`, INTEGER)),
  warn("CP-24", PLANE, changed(NEW, `${MACHINES}.spec.readinessGates`, { maxItems: 33 })),
  warn("CP-25", PLANE, changed(NEW, `${MACHINES}.spec.taints`, { "x-kubernetes-list-type": "atomic" })),
  fail("CP-25", PLANE, typed(OLD, `${MACHINES}.taints`, TEXT)),
  fail("CP-26", PLANE, typed(NEW, "status.externalManagedControlPlane", TEXT)),
  fail("CP-27", PLANE, typed(NEW, "spec.rollout.after", TEXT)),
  fail("CP-28", PLANE, absent(OLD, "status.initialized")),
  fail("CP-28", PLANE, absent(NEW, "status.initialization.controlPlaneInitialized")),
  fail("CP-29", PLANE, absent(OLD, "status.ready")),
  warn("CP-31", PLANE, absent(OLD, "status.failureReason")),
];

function scale(paths: Node): readonly [string, Change] {
  const change: Change = (crd) => {
    for (const { subresources } of crd.spec.versions) Object.assign(subresources.scale ?? {}, paths);
  };
  return [`the scale subresource has ${JSON.stringify(paths)}`, change];
}

/** Each breaks exactly its rule. */
export const ROWS: readonly Row[] = [
  ...COMMON_ROWS,
  ...SHARED,
  ...POOL_ROWS,
  ...CLUSTER_ROWS,
  ...MACHINE_ROWS,
  ...CONFIG_ROWS,
  ...ADDRESS_ROWS,
  ...PLANE_ROWS,
];

/** Verdict without the template of a kind in its release. */
export const TEMPLATES = [
  ["warn", "IMP-26", POOL],
  ["warn", "CP-32", PLANE],
  ["warn", "IC-18", CLUSTER],
  ["fail", "IM-20", MACHINE],
  ["fail", "BC-17", CONFIG],
] as const;
