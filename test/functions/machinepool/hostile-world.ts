import * as fc from "fast-check";
import { type KubeObject, MANAGEMENT } from "../../../shared/api/kinds.ts";
import {
  bootstrapConfig,
  cluster,
  connection,
  infraMachinePool,
  machinePool,
  merge,
  node,
  type Overrides,
  OWNED_BY_P1,
} from "../../support/builders.ts";
import { NOW } from "../../support/world.ts";
import {
  CLUSTER,
  CONFIG,
  CONNECTION,
  INFRA,
  keyOf,
  nodeKey,
  type Objects,
  POOL,
  poolIn,
  store,
} from "./small-server.ts";

/** One change that another client makes on the servers; shown by name in a counterexample. */
export interface Deed {
  readonly name: string;
  readonly to: (objects: Objects) => void;
}

const IDS = ["foo://1", "foo://2", "foo://3", "foo://4"];
const TOO_MANY = Array.from({ length: 10_001 }, (_, index) => `foo://${index}`);
const BAD_VALUES: readonly unknown[] = [null, 7, -1, 2.5, "", "yes", true, {}, [], ["x"], "x".repeat(600)];

/** Lists reordered, repeated, emptied, with empty and overlong entries, too long, or no lists at all. */
const providerIDList = fc.oneof(
  { weight: 6, arbitrary: fc.array(fc.constantFrom(...IDS, ""), { maxLength: 6 }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>([], undefined, [`foo://${"1".repeat(600)}`], [1, "foo://1"]),
  },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(...BAD_VALUES, TOO_MANY) },
);
/** Believed where nothing else is wrong. */
const sane = fc.subarray(IDS).map((list) => ({ list, status: { ready: true, replicas: list.length } }));
const BELIEVED = { ready: true, replicas: 3 };
const badValue = fc.constantFrom(...BAD_VALUES);
const ready = fc.oneof({ weight: 4, arbitrary: fc.constantFrom<unknown>(true, false, undefined) }, badValue);
const replicas = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<unknown>(0, 1, 2, 3, -1, undefined) },
  badValue,
);
const conditions = fc.oneof(
  badValue,
  fc
    .record({
      type: fc.constant("Ready"),
      status: fc.constantFrom<unknown>("True", "False", "Maybe", 1),
      reason: badValue,
      message: badValue,
      lastTransitionTime: fc.constantFrom<unknown>("2026-01-01T00:00:00Z", "soon", undefined),
    })
    .map((entry) => [entry]),
);
const infraStatus = fc.record(
  {
    ready,
    replicas,
    conditions,
    failureReason: badValue,
    failureMessage: badValue,
    initialization: fc.oneof(badValue, fc.record({ provisioned: ready })),
    infrastructureMachineKind: badValue,
  },
  { requiredKeys: [] },
);
const configStatus = fc.record(
  {
    initialization: fc.record({ dataSecretCreated: ready }),
    dataSecretName: fc.oneof(badValue, fc.constantFrom("p1-data", "p1-data-2", "n".repeat(254))),
    conditions,
    failureReason: badValue,
    failureMessage: badValue,
  },
  { requiredKeys: [] },
);

function deed(name: string, to: Deed["to"]): Deed {
  return { name, to };
}

/** Changes an object that is there. */
function edit(
  key: string,
  overrides: Overrides<KubeObject> | ((object: KubeObject) => KubeObject),
): Deed["to"] {
  return (objects) => {
    const object = objects.get(key);
    if (object === undefined) return;
    store(
      objects,
      key,
      typeof overrides === "function" ? overrides(object) : merge<KubeObject>(object, overrides),
    );
  };
}

function replaced(key: string, field: "spec" | "status", value: unknown): Deed["to"] {
  return edit(key, (object) => ({ ...object, ...{ [field]: value } }));
}

const BY_P2 = { ...OWNED_BY_P1, name: "p2", uid: "uid-p2" };
const PAUSED = "cluster.x-k8s.io/paused";

export const RIVAL = keyOf(MANAGEMENT, "MachinePool", "p2");
const OLDER = machinePool({
  metadata: { name: "p2", uid: "uid-p2", creationTimestamp: "2025-01-01T00:00:00Z" },
  spec: { providerIDList: ["foo://1", "foo://4"] },
});

/** Deeds of users at a bad moment. */
const USER: readonly Deed[] = [
  deed("pause the pool", edit(POOL, { metadata: { annotations: { [PAUSED]: "" } } })),
  deed("unpause the pool", edit(POOL, { metadata: { annotations: undefined } })),
  deed("pause the Cluster", edit(CLUSTER, { spec: { paused: true } } as Overrides<KubeObject>)),
  deed("unpause the Cluster", edit(CLUSTER, { spec: { paused: undefined } } as Overrides<KubeObject>)),
  deed("remove the finalizer", edit(POOL, { metadata: { finalizers: undefined } })),
  deed("remove the labels", edit(POOL, { metadata: { labels: undefined } })),
  deed("remove the owner references", edit(POOL, { metadata: { ownerReferences: undefined } })),
  deed("disown the infrastructure", edit(INFRA, { metadata: { ownerReferences: undefined } })),
  deed("disown the config", edit(CONFIG, { metadata: { ownerReferences: undefined } })),
  deed("give the infrastructure away", edit(INFRA, { metadata: { ownerReferences: [BY_P2] } })),
  deed("delete the infrastructure", (objects) => objects.delete(INFRA)),
  deed("delete the config", (objects) => objects.delete(CONFIG)),
  deed("delete the Cluster", (objects) => objects.delete(CLUSTER)),
  deed("make an older pool of the same instances", (objects) => store(objects, RIVAL, OLDER)),
  deed("delete the older pool", (objects) => objects.delete(RIVAL)),
  deed("delete the pool", edit(POOL, { metadata: { deletionTimestamp: NOW.toISOString() } })),
  deed("pause and delete the pool", (objects) => {
    edit(POOL, { metadata: { annotations: { [PAUSED]: "" } } })(objects);
    edit(POOL, { metadata: { deletionTimestamp: NOW.toISOString() } })(objects);
  }),
  ...[undefined, 0, 2, 3, -5].map((wanted) =>
    deed(`want ${wanted} replicas`, edit(POOL, { spec: { replicas: wanted } } as Overrides<KubeObject>)),
  ),
];

const WORKLOAD: readonly Deed[] = [
  deed("lose the connection", (objects) =>
    store(objects, CONNECTION, connection({ status: { state: "unreachable", nodesComplete: false } })),
  ),
  deed("connect", (objects) => store(objects, CONNECTION, connection())),
  deed("list Nodes again", (objects) =>
    store(objects, CONNECTION, connection({ status: { nodesComplete: false } })),
  ),
  ...["n1", "n3", "n4"].flatMap((name) => [
    deed(`${name} goes`, (objects) => objects.delete(nodeKey(name))),
    deed(`${name} is created again`, (objects) =>
      store(
        objects,
        nodeKey(name),
        node(name, {
          metadata: {
            uid: `uid-${name}-${objects.get(nodeKey(name))?.metadata.resourceVersion}`,
            annotations: {},
          },
        }),
      ),
    ),
    deed(
      `${name} is not ready`,
      edit(nodeKey(name), { status: { conditions: [] } } as Overrides<KubeObject>),
    ),
    deed(
      `${name} has no provider ID`,
      edit(nodeKey(name), { spec: { providerID: undefined } } as Overrides<KubeObject>),
    ),
  ]),
];

function report(list: unknown, status: object): Deed {
  return deed(`infrastructure lists ${shown(list)} and says ${shown(status)}`, (objects) => {
    replaced(INFRA, "spec", { providerIDList: list })(objects);
    replaced(INFRA, "status", status)(objects);
  });
}

/** Any of it. */
export const anyDeed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 4, arbitrary: sane.map(({ list, status }) => report(list, status)) },
  { weight: 2, arbitrary: providerIDList.map((list) => report(list, BELIEVED)) },
  {
    weight: 2,
    arbitrary: fc.tuple(providerIDList, infraStatus).map(([list, status]) => report(list, status)),
  },
  {
    weight: 2,
    arbitrary: configStatus.map((status) =>
      deed(`config says ${shown(status)}`, replaced(CONFIG, "status", status)),
    ),
  },
  { weight: 4, arbitrary: fc.constantFrom(...USER) },
  { weight: 2, arbitrary: fc.constantFrom(...WORKLOAD) },
);

function shown(value: unknown): string {
  return String(JSON.stringify(value)).slice(0, 120);
}

/** Every client is reasonable again: three instances, all ready, nothing paused, no other controller. */
export function repair(objects: Objects): void {
  objects.delete(RIVAL);
  store(objects, CLUSTER, cluster());
  store(objects, CONNECTION, connection());
  store(objects, CONFIG, bootstrapConfig({ metadata: { ownerReferences: undefined } }));
  store(objects, INFRA, infraMachinePool({ metadata: { ownerReferences: undefined } }));
  for (const name of ["n1", "n2", "n3"])
    store(objects, nodeKey(name), node(name, { metadata: { annotations: {} } }));
  const pool = poolIn(objects);
  if (pool === undefined) return;
  const metadata = { ...pool.metadata, annotations: undefined };
  store(objects, POOL, {
    ...pool,
    metadata,
    ...{ spec: { ...pool.spec, replicas: machinePool().spec.replicas } },
  } as KubeObject);
}
