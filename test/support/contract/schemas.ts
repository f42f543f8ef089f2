/*
 * Schemas of a provider that keeps every rule, under each contract version.
 */

/** A node of a schema, for tests to change. */
export interface Node {
  [member: string]: unknown;
}

export const text = (bounds: Node = {}): Node => ({ type: "string", ...bounds });
const integer = (bounds: Node = {}): Node => ({ type: "integer", ...bounds });
const boolean = (): Node => ({ type: "boolean" });
export const object = (properties: Node, more: Node = {}): Node => ({ type: "object", properties, ...more });
const mapOf = (node: Node): Node => ({ type: "object", additionalProperties: node });

function listOf(items: Node, bounds: Node, ...keys: readonly string[]): Node {
  const type = keys.length === 0 ? "atomic" : "map";
  const map = keys.length === 0 ? {} : { "x-kubernetes-list-map-keys": [...keys] };
  return { type: "array", items, "x-kubernetes-list-type": type, ...map, ...bounds };
}

const CONDITION_TEXTS = { type: text(), status: text(), reason: text(), message: text() };
const TIME = text({ format: "date-time" });

const CONDITIONS = {
  v1beta1: {
    type: "array",
    items: object({ ...CONDITION_TEXTS, severity: text(), lastTransitionTime: TIME }),
  },
  v1beta2: listOf(
    object(
      { ...CONDITION_TEXTS, lastTransitionTime: TIME, observedGeneration: integer() },
      { required: ["type", "status"] },
    ),
    { maxItems: 32 },
    "type",
  ),
};

const FAILURE = { failureReason: text(), failureMessage: text() };
const ENDPOINT = object({ host: text(), port: integer() });
const ATTRIBUTES = { controlPlane: boolean(), attributes: mapOf(text()) };

export type Contract = "v1beta1" | "v1beta2";
interface Fields {
  readonly spec: Node;
  readonly status: Node;
}

/** Fields of a kind by contract kind and version. */
export const FIELDS: { readonly [kind: string]: { readonly [contract in Contract]: () => Fields } } = {
  InfraMachinePool: both((contract) => ({
    spec: {
      providerID: text(),
      providerIDList: listOf(text({ minLength: 1, maxLength: 512 }), { maxItems: 10_000 }),
    },
    status: {
      ready: boolean(),
      replicas: integer(),
      initialization: object({ provisioned: boolean() }),
      infrastructureMachineKind: text(),
      instances: listOf(object({ instanceName: text(), providerID: text(), ready: boolean() }), {}),
      conditions: CONDITIONS[contract],
      ...(contract === "v1beta1" ? FAILURE : {}),
    },
  })),
  InfraCluster: {
    v1beta1: () => ({
      spec: { controlPlaneEndpoint: ENDPOINT },
      status: {
        ready: boolean(),
        failureDomains: mapOf(object(ATTRIBUTES)),
        conditions: CONDITIONS.v1beta1,
        ...FAILURE,
      },
    }),
    v1beta2: () => ({
      spec: { controlPlaneEndpoint: ENDPOINT },
      status: {
        initialization: object({ provisioned: boolean() }),
        failureDomains: listOf(
          object({ name: text(), ...ATTRIBUTES }, { required: ["name"] }),
          { minItems: 1, maxItems: 100 },
          "name",
        ),
        conditions: CONDITIONS.v1beta2,
      },
    }),
  },
  InfraMachine: both((contract) => ({
    spec: { providerID: text(), ...(contract === "v1beta1" ? { failureDomain: text() } : {}) },
    status: {
      failureDomain: text({ minLength: 1, maxLength: 256 }),
      addresses: { type: "array", items: object({ type: text(), address: text() }) },
      conditions: CONDITIONS[contract],
      ...(contract === "v1beta1"
        ? { ready: boolean(), ...FAILURE }
        : { initialization: object({ provisioned: boolean() }) }),
    },
  })),
  BootstrapConfig: both((contract) => ({
    spec: { files: mapOf(text()) },
    status: {
      dataSecretName: text({ minLength: 1, maxLength: 253 }),
      conditions: CONDITIONS[contract],
      ...(contract === "v1beta1"
        ? { ready: boolean(), ...FAILURE }
        : { initialization: object({ dataSecretCreated: boolean() }) }),
    },
  })),
  ControlPlane: { v1beta1: controlPlaneBefore, v1beta2: controlPlane },
  IPAMPool: both((contract) => ({
    spec: { addresses: text() },
    status: { conditions: CONDITIONS[contract] },
  })),
};

function both(fields: (contract: Contract) => Fields): { readonly [contract in Contract]: () => Fields } {
  return { v1beta1: () => fields("v1beta1"), v1beta2: () => fields("v1beta2") };
}

const OBJECT_META = object({ labels: mapOf(text()), annotations: mapOf(text()) });

function controlPlane(): Fields {
  const gates = listOf(
    object({ conditionType: text() }, { required: ["conditionType"] }),
    { minItems: 1, maxItems: 32 },
    "conditionType",
  );
  const taints = listOf(
    object({ key: text(), effect: text() }, { required: ["key", "effect"] }),
    { minItems: 1, maxItems: 64 },
    "key",
    "effect",
  );
  const seconds = integer({ minimum: 0 });
  const deletion = object({
    nodeDrainTimeoutSeconds: seconds,
    nodeVolumeDetachTimeoutSeconds: seconds,
    nodeDeletionTimeoutSeconds: seconds,
  });
  const infrastructureRef = object({ apiGroup: text(), kind: text(), name: text() });
  return {
    spec: {
      controlPlaneEndpoint: ENDPOINT,
      replicas: integer(),
      version: text({ minLength: 1, maxLength: 256 }),
      rollout: object({ after: TIME }),
      machineTemplate: object({
        metadata: OBJECT_META,
        spec: object({ infrastructureRef, deletion, readinessGates: gates, taints }),
      }),
    },
    status: {
      ...counters("replicas", "readyReplicas", "availableReplicas", "upToDateReplicas"),
      selector: text(),
      versions: listOf(
        object({ version: text(), replicas: integer() }, { required: ["version"] }),
        { minItems: 1, maxItems: 100 },
        "version",
      ),
      externalManagedControlPlane: boolean(),
      initialization: object({ controlPlaneInitialized: boolean() }),
      conditions: CONDITIONS.v1beta2,
    },
  };
}

function controlPlaneBefore(): Fields {
  const infrastructureRef = object({ apiVersion: text(), kind: text(), name: text(), namespace: text() });
  return {
    spec: {
      controlPlaneEndpoint: ENDPOINT,
      replicas: integer(),
      version: text(),
      rolloutAfter: TIME,
      machineTemplate: object({
        metadata: OBJECT_META,
        infrastructureRef,
        nodeDrainTimeout: text(),
        nodeVolumeDetachTimeout: text(),
        nodeDeletionTimeout: text(),
        readinessGates: { type: "array", items: object({ conditionType: text() }) },
        taints: { type: "array", items: object({ key: text(), effect: text() }) },
      }),
    },
    status: {
      ...counters("replicas", "readyReplicas", "updatedReplicas", "unavailableReplicas"),
      selector: text(),
      version: text(),
      externalManagedControlPlane: boolean(),
      initialized: boolean(),
      ready: boolean(),
      conditions: CONDITIONS.v1beta1,
      ...FAILURE,
    },
  };
}

function counters(...names: readonly string[]): Node {
  return Object.fromEntries(names.map((name) => [name, integer()]));
}

/** Fields of the template of a kind. */
export function templateFields(kind: string, contract: Contract): Fields {
  const { spec } = FIELDS[kind]?.[contract]() ?? { spec: {} };
  const capacity = mapOf({
    "x-kubernetes-int-or-string": true,
    anyOf: [{ type: "integer" }, { type: "string" }],
  });
  return {
    spec: { template: object({ metadata: OBJECT_META, spec: object(spec) }) },
    status: kind === "InfraMachine" ? { capacity, nodeInfo: object({ architecture: text() }) } : {},
  };
}
