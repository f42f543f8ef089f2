import * as fc from "fast-check";
import type { Json, JsonObject } from "../../../../../infra/playground/apiserver/objects/json.ts";
import { pick, someOf } from "./choice.ts";

/** A compiled-in kind and what clients write to it. */
export interface CoreKind {
  readonly kind: string;
  readonly apiVersion: string;
  /** Of the collection. */
  readonly path: string;
  readonly name: string;
  readonly content: fc.Arbitrary<JsonObject>;
  /** Patches that only strategic merge understands. */
  readonly directives: fc.Arbitrary<JsonObject>;
  readonly status?: fc.Arbitrary<JsonObject>;
}

const condition = fc
  .tuple(
    pick("Ready", "Disk", "Net"),
    pick("True", "False", "Unknown"),
    pick<JsonObject>({}, { reason: "R" }, { message: "m" }),
  )
  .map(([type, status, more]): Json => ({ type, status, ...more }));
const conditions = fc.uniqueArray(condition, {
  minLength: 1,
  maxLength: 3,
  selector: (value) => (value as { type: string }).type,
});
const orderOf = pick<JsonObject>(
  { conditions: [{ type: "Ready", $patch: "delete" }] },
  {
    conditions: [
      { type: "Ready", status: "Unknown" },
      { type: "Disk", $patch: "delete" },
    ],
  },
  {
    "$setElementOrder/conditions": [{ type: "Net" }, { type: "Ready" }],
    conditions: [{ type: "Net", status: "True" }],
  },
  { conditions: [{ $patch: "replace" }, { type: "New", status: "True" }] },
);

export const CORE_CONTENTS: readonly CoreKind[] = [
  {
    kind: "ConfigMap",
    apiVersion: "v1",
    path: "/api/v1/namespaces/{ns}/configmaps",
    name: "c",
    content: someOf(
      {
        data: pick<Json>({ a: "x" }, { a: "y", b: "x" }, { "c.d": "x" }, {}),
        binaryData: pick<Json>({ bin: "AAEC" }, {}),
      },
      2,
    ),
    directives: pick<JsonObject>(
      { data: { a: null, q: "1" } },
      { $retainKeys: ["data"], data: { k: "v" } },
      { metadata: { finalizers: ["a.b/c"] } },
      { metadata: { "$deleteFromPrimitiveList/finalizers": ["a.b/c"] } },
      { metadata: { "$setElementOrder/finalizers": ["d.e/f", "a.b/c"], finalizers: ["d.e/f"] } },
      { metadata: { ownerReferences: [{ uid: "0a000000-0000-0000-0000-000000000000", $patch: "delete" }] } },
      { bogus: 1 },
      { $patch: "bogus" },
    ),
  },
  {
    kind: "Secret",
    apiVersion: "v1",
    path: "/api/v1/namespaces/{ns}/secrets",
    name: "s",
    content: someOf(
      {
        data: pick<Json>({ a: "YQ==" }, { b: "Yg==" }, {}),
        stringData: pick<Json>({ a: "x" }, { c: "y" }),
        type: pick<Json>("Opaque", "x.y/z"),
      },
      2,
    ),
    directives: pick<JsonObject>(
      { data: { a: null } },
      { stringData: { a: "new" } },
      { type: "other" },
      { stringData: { a: null } },
      { data: null },
    ),
  },
  {
    kind: "Node",
    apiVersion: "v1",
    path: "/api/v1/nodes",
    name: "{ns}-n",
    content: someOf(
      {
        spec: someOf(
          {
            unschedulable: pick<Json>(true, false),
            taints: pick<Json>([{ key: "k", effect: "NoSchedule" }], []),
            providerID: pick<Json>("x://1", ""),
          },
          2,
        ),
      },
      1,
    ),
    directives: pick<JsonObject>(
      { spec: { taints: [{ key: "k", effect: "NoSchedule", value: "v" }] } },
      { spec: { taints: [{ key: "k2", effect: "NoExecute" }] } },
      { spec: { taints: null } },
      { spec: { unschedulable: null } },
    ),
    status: fc.oneof(
      fc.record({ conditions }),
      orderOf,
      pick<JsonObject>(
        { addresses: [{ type: "InternalIP", address: "1.2.3.4" }] },
        {
          addresses: [
            { type: "Hostname", address: "h" },
            { type: "InternalIP", address: "1.2.3.4" },
          ],
        },
        { phase: "Running" },
        { nodeInfo: { kubeletVersion: "v1.34.0" } },
      ),
    ),
  },
  {
    kind: "Namespace",
    apiVersion: "v1",
    path: "/api/v1/namespaces",
    name: "{ns}-x",
    content: fc.constant({}),
    directives: pick<JsonObject>({ metadata: { labels: { a: "b" } } }, { metadata: { labels: null } }),
    status: fc.oneof(
      fc.record({ conditions }),
      orderOf,
      pick<JsonObject>({ phase: "Active" }, { phase: "Terminating" }, { phase: "x" }, {}),
    ),
  },
  {
    kind: "Lease",
    apiVersion: "coordination.k8s.io/v1",
    path: "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases",
    name: "l",
    content: someOf(
      {
        spec: someOf(
          {
            holderIdentity: pick<Json>("me", "you"),
            leaseDurationSeconds: pick<Json>(15, 30),
            renewTime: pick<Json>("2020-01-01T00:00:00.000000Z"),
          },
          3,
        ),
      },
      1,
    ),
    directives: pick<JsonObject>(
      { spec: { holderIdentity: null } },
      { spec: { leaseTransitions: 1 } },
      { spec: null },
    ),
  },
  {
    kind: "Event",
    apiVersion: "v1",
    path: "/api/v1/namespaces/{ns}/events",
    name: "e",
    content: pick<JsonObject>(
      {
        involvedObject: { kind: "Gizmo", name: "a", namespace: "{ns}" },
        reason: "Because",
        type: "Normal",
        message: "m",
      },
      {
        involvedObject: { kind: "Gizmo", name: "a", namespace: "{ns}" },
        count: 2,
        firstTimestamp: "2020-01-01T00:00:00Z",
      },
    ),
    directives: pick<JsonObject>(
      { count: 3 },
      { message: "new" },
      { series: { count: 2, lastObservedTime: "2020-01-01T00:00:00.000000Z" } },
    ),
  },
  {
    kind: "ServiceAccount",
    apiVersion: "v1",
    path: "/api/v1/namespaces/{ns}/serviceaccounts",
    name: "a",
    content: someOf(
      {
        secrets: pick<Json>([{ name: "s" }], [{ name: "s" }, { name: "t" }], []),
        imagePullSecrets: pick<Json>([{ name: "p" }], []),
        automountServiceAccountToken: pick<Json>(true, false),
      },
      2,
    ),
    directives: pick<JsonObject>(
      { secrets: [{ name: "u" }] },
      { secrets: [{ name: "s", $patch: "delete" }] },
      { imagePullSecrets: null },
      { automountServiceAccountToken: null },
    ),
  },
];

const OWNER = { apiVersion: "v1", kind: "ConfigMap", name: "owner-0" };
const OWNER_UID = { uid: "0a000000-0000-0000-0000-000000000000" };

/** Directives of strategic merge in places where they are good for nothing. */
export const oddDirectives: fc.Arbitrary<JsonObject> = pick<JsonObject>(
  { data: { $patch: "replace", z: "MQ==" } },
  { data: { $patch: "delete" } },
  { data: { $patch: "merge", z: "MQ==" } },
  { $patch: "merge" },
  { $patch: 1 },
  { $retainKeys: "x" },
  { $retainKeys: ["metadata"], data: { z: "MQ==" } },
  { metadata: { $retainKeys: ["labels"] } },
  { metadata: { labels: { $patch: "replace", z: "q" } } },
  { metadata: { labels: { $patch: "delete" } } },
  { metadata: { annotations: { $retainKeys: ["a"], a: "b" } } },
  { metadata: { "$setElementOrder/finalizers": "x" } },
  { metadata: { "$setElementOrder/finalizers": ["x.y/z"] } },
  { metadata: { "$setElementOrder/finalizers": ["d.e/f"], finalizers: ["a.b/c"] } },
  { metadata: { "$deleteFromPrimitiveList/finalizers": "x" } },
  { metadata: { finalizers: [{ a: 1 }] } },
  { metadata: { finalizers: ["a.b/c", "a.b/c"] } },
  { metadata: { ownerReferences: [{ $patch: "replace" }] } },
  { metadata: { ownerReferences: [{ $patch: "replace" }, { ...OWNER, ...OWNER_UID }] } },
  { metadata: { ownerReferences: [{ $patch: "delete" }] } },
  { metadata: { ownerReferences: [{ $patch: "delete", ...OWNER_UID }] } },
  { metadata: { ownerReferences: [{ $patch: "merge", ...OWNER_UID }] } },
  { metadata: { ownerReferences: [{ $patch: "bogus", ...OWNER_UID }] } },
  { metadata: { ownerReferences: [OWNER] } },
  { metadata: { ownerReferences: [{ ...OWNER, ...OWNER_UID, controller: null }] } },
  { metadata: { ownerReferences: ["x"] } },
  { metadata: { ownerReferences: { a: "b" } } },
  { metadata: { "$setElementOrder/ownerReferences": [OWNER_UID] } },
  { metadata: { "$setElementOrder/ownerReferences": [{}] } },
);
