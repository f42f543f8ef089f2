import type { JsonObject } from "../../../../infra/playground/apiserver/objects/json.ts";
import { CRDS_PATH, widget } from "./api-client.ts";
import { APPLY_VECTORS } from "./apply-vectors.ts";
import { gizmo } from "./differential/gizmo-address.ts";
import { GIZMOS_PATH } from "./differential/gizmos.ts";
import {
  get,
  json,
  merge,
  PARTIAL,
  PARTIAL_LIST,
  post,
  put,
  remove,
  type Sequence,
  type Step,
  apply as send,
  strategic,
  TABLE,
} from "./differential/step.ts";
import { WIDGETS } from "./widgets.ts";

const W = "/apis/test.capstan.dev/v1/namespaces/{ns}/widgets";
const apply = (path: string, body: unknown, query = "fieldManager=fn-a") => send(`${path}?${query}`, body);

const C = "/api/v1/namespaces/{ns}/configmaps";
const status = (name: string, value: unknown) => ({ ...widget(name), status: value });

const LONG_NUMBERS = [
  "9223372036854775807",
  "-9223372036854775808",
  "9007199254740993",
  "9223372036854775808",
  "1e400",
];
const withNumber = (name: string, number: string) =>
  `{"apiVersion":"test.capstan.dev/v1","kind":"Gizmo","metadata":{"name":"${name}"},"spec":{"numbers":[${number}],"free":{"a":${number}}}}`;
const NULLS: readonly JsonObject[] = [
  { mode: null, note: null, noteWithDefault: null },
  { size: null, color: null, on: null, port: null },
  { nested: null, labels: null, list: null, items: null },
  { nested: { a: null, b: null, deep: { c: null } }, groups: { g: null } },
  { items: [{ name: "a", value: null }], structs: [{ a: null }] },
  { labels: { a: null }, free: { a: null }, anything: null },
  { list: [null] },
  { numbers: [null] },
  { items: [null] },
];
const V1_MAP = { apiVersion: "v1", kind: "ConfigMap" };

const CHAPTERS: Readonly<Record<string, readonly Step[]>> = {
  "creation and body checks": [
    post(
      W,
      widget(
        "a",
        { size: 3, color: "red" },
        { uid: "x", generation: 7, deletionTimestamp: "2020-01-01T00:00:00Z" },
      ),
    ),
    post(W, widget("a")),
    post(W, { ...widget("b"), status: { phase: "x" } }),
    post(W, widget("c", {}, { resourceVersion: "5" })),
    post(W, widget("B_c")),
    post(W, { ...widget(""), metadata: {} }),
    post(`${W}?fieldValidation=Ignore`, { ...widget("d"), apiVersion: "test.capstan.dev/v2" }),
    post(W, { ...widget("d"), kind: "Foo" }),
    post(W, { ...widget("d"), kind: undefined }),
    post(W, widget("d", {}, { namespace: "other" })),
    post(W, widget("d", {}, { labels: { a: 1 } })),
    post(W, widget("d", {}, { labels: { "a b": "c" } })),
    post(W, widget("d", {}, { labels: { a: "c d" } })),
    post(W, widget("d", {}, { finalizers: ["no domain!"] })),
    post(W, widget("d", {}, { ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "n" }] })),
    post(W, widget("d", { size: 101, color: "pink" })),
    post(W, widget("d", { size: "x" })),
    post(W, "{"),
    post(W, "[]"),
    post("/apis/test.capstan.dev/v1/namespaces/nope/widgets", widget("d")),
    post("/apis/test.capstan.dev/v1/widgets", widget("d")),
    post(W, widget("d"), "text/plain"),
    post(`${W}?dryRun=Foo`, widget("d")),
    post(`${W}?dryRun=All`, widget("d", { size: 1 })),
    post(`${W}?fieldValidation=Foo`, widget("d")),
    post(`${W}?fieldValidation=Strict`, widget("d", { bogus: 1, nested: { zz: 1 } }, { bogus: 2 })),
    post(
      `${W}?fieldValidation=Strict`,
      '{"apiVersion":"test.capstan.dev/v1","kind":"Widget","metadata":{"name":"d"},"spec":{"size":1,"size":2}}',
    ),
    post(W, widget("e", { bogus: 1 })),
    post(`${W}?fieldManager=${"m".repeat(129)}`, widget("d")),
    get(`${W}/a`),
    get(`${W}/zz`),
    get("/apis/test.capstan.dev/v1/namespaces/{ns}/gadgets"),
    get("/apis/nope.dev/v1/gadgets"),
  ],
  updates: [
    post(W, widget("u", { size: 1 }, { labels: { a: "b" } })),
    put(`${W}/u`, widget("u", { size: 2 })),
    put(`${W}/u`, widget("u", { size: 2 }, { resourceVersion: "1" })),
    put(`${W}/u`, widget("v", { size: 2 }, { resourceVersion: "1" })),
    put(`${W}/missing`, widget("missing", {}, { resourceVersion: "1" })),
    merge(`${W}/u`, { spec: { size: 2 } }),
    merge(`${W}/u`, { spec: { size: 2 } }),
    merge(`${W}/u`, { metadata: { labels: { c: "d" } } }),
    merge(`${W}/u`, { metadata: { uid: "other" } }),
    merge(`${W}/u`, { metadata: { name: "other" } }),
    merge(`${W}/u`, { metadata: { namespace: "other" } }),
    merge(`${W}/u`, { metadata: { creationTimestamp: "2020-01-01T00:00:00Z" } }),
    merge(`${W}/u`, { metadata: { deletionTimestamp: "2020-01-01T00:00:00Z" } }),
    merge(`${W}/u`, { metadata: { generation: 40 } }),
    merge(`${W}/u`, { metadata: { resourceVersion: "1" }, spec: { size: 5 } }),
    merge(`${W}/u`, { kind: "Foo" }),
    merge(`${W}/u`, { spec: null }),
    merge(`${W}/u`, { spec: { size: 200 } }),
    merge(`${W}/u`, { spec: { bogus: 200 } }),
    merge(`${W}/u?fieldValidation=Strict`, { spec: { bogus: 200 } }),
    merge(`${W}/u?dryRun=All`, { spec: { size: 50 } }),
    merge(`${W}/u?force=true`, { spec: { size: 50 } }),
    merge(`${W}/u`, "[]"),
    merge(`${W}/u`, "{"),
    merge(`${W}/nope`, {}),
    strategic(`${W}/u`, {}),
    get(`${W}/u`),
  ],
  "JSON patches": [
    post(W, widget("j", { size: 1, atomicList: ["a"] })),
    json(`${W}/j`, [
      { op: "test", path: "/spec/size", value: 1 },
      { op: "replace", path: "/spec/size", value: 2 },
    ]),
    json(`${W}/j`, [{ op: "test", path: "/spec/size", value: 1 }]),
    json(`${W}/j`, [{ op: "test", path: "/spec/color", value: null }]),
    json(`${W}/j`, [{ op: "remove", path: "/spec/color" }]),
    json(`${W}/j`, [{ op: "replace", path: "/spec/color", value: "red" }]),
    json(`${W}/j`, [{ op: "add", path: "/spec/nested/a", value: "x" }]),
    json(`${W}/j`, [{ op: "add", path: "/spec/atomicList/-", value: "x" }]),
    json(`${W}/j`, [{ op: "move", path: "/spec/color", from: "/spec/atomicList/0" }]),
    json(`${W}/j`, [{ op: "bogus", path: "/spec/size" }]),
    json(`${W}/j`, { op: "remove" }),
    json(`${W}/j`, [{ op: "add", path: "/metadata/finalizers", value: ["a.b/c"] }]),
    json(`${W}/j`, [{ op: "remove", path: "/metadata/finalizers" }]),
    get(`${W}/j`),
  ],
  "status and scale": [
    post(W, widget("s", { size: 1 })),
    merge(`${W}/s/status`, {
      spec: { size: 9 },
      metadata: { labels: { x: "y" } },
      status: { phase: "Up" },
    }),
    merge(`${W}/s`, { status: { phase: "Down" } }),
    put(`${W}/s/status`, status("s", { phase: "x" })),
    post(`${W}/s/status`, status("s", {})),
    get(`${W}/s/status`),
    get(`${W}/s/scale`),
    merge(`${W}/s/scale`, { spec: { replicas: 5 } }),
    merge(`${W}/s/scale`, { spec: { replicas: -1 } }),
    get(`${W}/s`),
    post(W, widget("t")),
    get(`${W}/t/scale`),
    merge(`${W}/t/scale`, { spec: { replicas: 5 } }),
    get(`${W}/s/bogus`),
  ],
  deletion: [
    post(W, widget("x")),
    remove(`${W}/x`, { preconditions: { uid: "other" } }),
    remove(`${W}/x`, { preconditions: { resourceVersion: "1" } }),
    remove(`${W}/x`, { propagationPolicy: "Foo" }),
    remove(`${W}/x?dryRun=All`),
    remove(`${W}/x`),
    remove(`${W}/x`),
    post(W, widget("y", {}, { finalizers: ["a.b/c"] })),
    remove(`${W}/y`),
    remove(`${W}/y`),
    merge(`${W}/y`, { spec: { size: 4 } }),
    merge(`${W}/y`, { metadata: { finalizers: ["a.b/c", "d.e/f"] } }),
    post(W, widget("y")),
    merge(`${W}/y`, { metadata: { finalizers: null } }),
    get(`${W}/y`),
    remove(`${W}?labelSelector=none=here`),
  ],
  lists: [
    post(W, widget("l1", {}, { labels: { app: "a", n: "1" } })),
    post(W, widget("l2", {}, { labels: { app: "b", n: "5" } })),
    post(W, widget("l3")),
    ...[
      "app",
      "!app",
      "app=a",
      "app!=a",
      "app in (a,b)",
      "app notin (a)",
      "n>2",
      "n<2",
      "app in",
      "a=b=c",
      "=x",
    ].map((selector) => get(`${W}?labelSelector=${encodeURIComponent(selector)}`)),
    ...[
      "metadata.name=l1",
      "metadata.name!=l1",
      "metadata.namespace=default",
      "spec.size=1",
      "metadata.name",
    ].map((selector) => get(`${W}?fieldSelector=${encodeURIComponent(selector)}`)),
    get(`${W}?resourceVersion=0`),
    get(`${W}?resourceVersion=abc`),
    get(`${W}?resourceVersionMatch=Exact`),
    get(`${W}?resourceVersionMatch=Foo&resourceVersion=1`),
    get(`${W}?continue=bogus`),
    get(`${W}?labelSelector=n&limit=1`),
    get(`${W}?sendInitialEvents=true&watch=1`),
    get(`${W}?watch=1&resourceVersion=abc`),
    get(`${W}/l1`, TABLE),
    get(W, PARTIAL_LIST),
    get(`${W}/l1`, PARTIAL),
    get(`${W}/l1`, "text/html"),
    get(`${W}/l1`, "text/html,application/json"),
  ],
  "server-side apply": [
    send(`${W}/p`, widget("p", { size: 1 })),
    apply(`${W}/p`, widget("p", { size: 1 })),
    apply(`${W}/p`, widget("p", { size: 1 })),
    apply(`${W}/p`, widget("p", { size: 2 }), "fieldManager=fn-b"),
    apply(`${W}/p`, widget("p", { size: 2 }), "fieldManager=fn-b&force=true"),
    apply(`${W}/p`, widget("other", { size: 2 })),
    apply(`${W}/p`, { ...widget("p"), metadata: {} }),
    apply(`${W}/p`, { ...widget("p"), kind: "Foo" }),
    apply(`${W}/p`, widget("p", {}, { managedFields: [{}] })),
    apply(`${W}/p`, widget("p", {}, { resourceVersion: "1" })),
    apply(`${W}/p`, widget("p", {}, { uid: "x" })),
    apply(`${W}/q`, widget("q", {}, { uid: "x" })),
    apply(`${W}/p/status`, {
      ...widget("p"),
      status: { phase: "Up", conditions: [{ type: "Ready", status: "True" }] },
    }),
    apply(`${W}/nope/status`, status("nope", { phase: "Up" })),
    merge(`${W}/p`, { metadata: { managedFields: [{}] } }),
    apply(`${W}/p`, widget("p", { color: "red" })),
    apply(
      `${W}/r?dryRun=All`.replace("?dryRun=All", ""),
      widget("r", { size: 1 }),
      "fieldManager=fn-a&dryRun=All",
    ),
    get(`${W}/r`),
    get(`${W}/p`),
  ],
  "core kinds": [
    post(C, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data: { a: "1" } }),
    strategic(`${C}/c`, { data: { b: "2", a: null } }),
    put(`${C}/c`, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data: { z: "1" } }),
    put(`${C}/c`, { metadata: { name: "c" }, data: { z: "2" } }),
    apply(`${C}/c`, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data: { y: "1" } }),
    remove(`${C}/c`),
    post("/api/v1/namespaces/{ns}/secrets", { metadata: { name: "s" }, stringData: { a: "b" } }),
    merge("/api/v1/namespaces/{ns}/secrets/s", { type: "other" }),
    get("/api/v1/namespaces/{ns}/secrets/s"),
    post("/api/v1/nodes", { metadata: { name: "n1" }, spec: { providerID: "x://1" } }),
    strategic("/api/v1/nodes/n1/status", { status: { conditions: [{ type: "Ready", status: "True" }] } }),
    strategic("/api/v1/nodes/n1/status", { status: { conditions: [{ type: "Disk", status: "True" }] } }),
    merge("/api/v1/nodes/n1", { metadata: { labels: { a: "b" } } }),
    get("/api/v1/nodes/n1"),
    remove("/api/v1/nodes/n1"),
    post("/api/v1/namespaces", { metadata: { name: "space" } }),
    post("/api/v1/namespaces", { metadata: { name: "spa.ce" } }),
    get("/api/v1/namespaces/space"),
    post("/apis/coordination.k8s.io/v1/namespaces/{ns}/leases", {
      metadata: { name: "l" },
      spec: { holderIdentity: "me" },
    }),
    post("/api/v1/namespaces/{ns}/events", {
      metadata: { name: "e" },
      involvedObject: { kind: "Widget", name: "a", namespace: "{ns}" },
      reason: "Because",
      type: "Normal",
    }),
    get("/api/v1/namespaces/{ns}/events?fieldSelector=involvedObject.name=a,involvedObject.kind=Widget"),
    get("/api/v1/namespaces/{ns}/events?fieldSelector=involvedObject.name=zz"),
    get("/api/v1/namespaces/{ns}/events/e", TABLE),
  ],
  "times of deletion in a configuration": [
    apply(`${W}/z`, widget("z", {}, { deletionGracePeriodSeconds: 5 })),
  ],
  "empty metadata": [
    apply(`${W}/m`, widget("m", { size: 1 }, { labels: {}, finalizers: [] })),
    merge(`${W}/m`, { spec: { size: 1 } }),
  ],
  "numbers of 64 bits": [
    ...LONG_NUMBERS.map((number) => post(GIZMOS_PATH, withNumber("post", number))),
    ...LONG_NUMBERS.map((number) => apply(`${GIZMOS_PATH}/apply`, withNumber("apply", number))),
    apply(
      `${GIZMOS_PATH}/yaml`,
      "apiVersion: test.capstan.dev/v1\nkind: Gizmo\nspec: {growing: 0x7fffffffffffffff}",
    ),
    post(GIZMOS_PATH, gizmo("merge", {})),
    ...LONG_NUMBERS.map((number) => merge(`${GIZMOS_PATH}/merge`, `{"spec":{"growing":${number}}}`)),
    post("/api/v1/namespaces/{ns}/configmaps", '{"metadata":{"name":"large","generation":1e400}}'),
    ...LONG_NUMBERS.map((number) =>
      post(
        "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases",
        `{"metadata":{"name":"l"},"spec":{"leaseDurationSeconds":${number}}}`,
      ),
    ),
  ],
  "nulls as people publish them": [
    ...NULLS.map((spec, index) => post(GIZMOS_PATH, gizmo(`post-${index}`, spec))),
    ...NULLS.map((spec, index) => apply(`${GIZMOS_PATH}/apply-${index}`, gizmo(`apply-${index}`, spec))),
    ...NULLS.map((spec) => merge(`${GIZMOS_PATH}/post-0`, { spec })),
    apply(`${C}/a`, { ...V1_MAP, metadata: { name: "a", labels: null }, data: null, immutable: null }),
    post(C, { ...V1_MAP, metadata: { name: "b", annotations: null }, data: { a: null }, immutable: null }),
  ],
  namespaces: [
    apply("/api/v1/namespaces/{ns}-x", { apiVersion: "v1", kind: "Namespace", metadata: { name: "{ns}-x" } }),
    apply("/api/v1/namespaces/{ns}-x", { apiVersion: "v1", kind: "Namespace", metadata: { name: "{ns}-x" } }),
    put("/api/v1/namespaces/{ns}-x", { metadata: { name: "{ns}-x" } }),
  ],
  "deletion of a namespace": [
    post("/api/v1/namespaces", { metadata: { name: "{ns}-x" } }),
    remove("/api/v1/namespaces/{ns}-x"),
    get("/api/v1/namespaces/{ns}-x"),
  ],
  "an Event with two mistakes": [
    post("/api/v1/namespaces/{ns}/events", {
      metadata: { name: "e", annotations: { "a b": "x" } },
      involvedObject: { kind: "Widget", name: "a", namespace: "other" },
    }),
  ],
  "immutable data": [
    post(C, { metadata: { name: "c" }, immutable: true, data: { a: "1" } }),
    put(`${C}/c`, { metadata: { name: "c" }, immutable: true, data: { a: "1" }, binaryData: {} }),
  ],
  "a selfLink in a dry run": [
    post(C, { metadata: { name: "c" } }),
    merge(`${C}/c?dryRun=All`, { metadata: { selfLink: "/x" } }),
  ],
  "JSON patches of whole objects": [
    post(W, widget("j")),
    ...[1, null, {}, { ...widget("j"), spec: { size: 2 } }].map((value) =>
      json(`${W}/j`, [{ op: "replace", path: "", value }]),
    ),
    merge(`${W}/j`, { metadata: { resourceVersion: null }, spec: { size: 3 } }),
  ],
  "lists of compiled-in kinds": [
    post(C, { metadata: { name: "c" }, data: { a: "1" } }),
    get(C),
    get(C, TABLE),
    get(C, PARTIAL_LIST),
    get(`${C}?fieldSelector=metadata.name=c`),
    get(`${C}?labelSelector=a`),
    remove(C),
    get(C),
    post("/api/v1/configmaps", { metadata: { name: "c" } }),
    remove("/api/v1/namespaces"),
    get("/api/v1/namespaces/{ns}/bogus"),
    get("/apis/apps/v2/deployments"),
  ],
  CustomResourceDefinitions: [
    post(CRDS_PATH, { ...WIDGETS, metadata: { name: "wrong.name" } }),
    post(CRDS_PATH, {
      ...WIDGETS,
      spec: { ...WIDGETS.spec, versions: [] },
      metadata: { name: "widgets.test.capstan.dev" },
    }),
    post(CRDS_PATH, gadgets({ schema: undefined })),
    post(CRDS_PATH, gadgets({ storage: false })),
    post(CRDS_PATH, gadgets({ schema: { openAPIV3Schema: { type: "object", properties: { spec: {} } } } })),
    get("/apis/test.capstan.dev/v1"),
    get("/apis/test.capstan.dev"),
    get(`${CRDS_PATH}/widgets.test.capstan.dev`),
  ],
};

function gadgets(version: object) {
  const base = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "gadgets.test.capstan.dev" },
    spec: {
      group: "test.capstan.dev",
      scope: "Namespaced",
      names: { plural: "gadgets", kind: "Gadget" },
      versions: [{ ...base, ...version }],
    },
  };
}

const vectors = APPLY_VECTORS.map(
  ({ name, steps }): Sequence => ({
    name,
    steps: steps.map(({ verb, manager, subresource, force = false, body }) => {
      const path = `${W}/v${subresource ? `/${subresource}` : ""}?fieldManager=${manager}`;
      if (verb === "merge") return merge(path, body);
      return send(force ? `${path}&force=true` : path, { ...widget("v"), ...body });
    }),
  }),
);

/** Sequences that are always played: the chapters above, and the vectors of server-side apply. */
export const SCRIPT: readonly Sequence[] = [
  ...Object.entries(CHAPTERS).map(([name, steps]): Sequence => ({ name, steps })),
  ...vectors,
];
