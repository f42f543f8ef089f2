import { APPLY, CRDS_PATH, JSON_PATCH, MERGE, STRATEGIC, WIDGETS_PATH as W, widget } from "./api-client.ts";
import { WIDGETS } from "./widgets.ts";

export interface Step {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly type?: string;
  readonly accept?: string;
  /** Why the answers may differ; they must. */
  readonly differs?: string;
}

const differs = (reason: string, one: Step): Step => ({ ...one, differs: reason });

const GO_STRUCTS = "typed Go objects carry zero values, and their structs own no dot of their own";
const TWICE = "a value that cannot be read for the scale subresource is reported twice";
const UNROUTED = "A-13 accepts both texts of a 404";
const STATUS_METADATA = "ownership of metadata that /status ignores is not recorded";

const step = (method: string, path: string, body?: unknown, type?: string): Step => ({
  method,
  path,
  ...(body === undefined ? {} : { body }),
  ...(type === undefined ? {} : { type }),
});
const get = (path: string, accept?: string): Step => ({ method: "GET", path, ...(accept ? { accept } : {}) });
const post = (path: string, body: unknown, type?: string) => step("POST", path, body, type);
const put = (path: string, body: unknown) => step("PUT", path, body);
const merge = (path: string, body: unknown) => step("PATCH", path, body, MERGE);
const json = (path: string, body: unknown) => step("PATCH", path, body, JSON_PATCH);
const strategic = (path: string, body: unknown) => step("PATCH", path, body, STRATEGIC);
const remove = (path: string, body?: unknown) => step("DELETE", path, body);
const apply = (path: string, body: unknown, query = "fieldManager=fn-a") =>
  step("PATCH", `${path}?${query}`, body, APPLY);

const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
const PARTIAL = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json";
const PARTIAL_LIST = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json";

const C = "/api/v1/namespaces/default/configmaps";
const status = (name: string, value: unknown) => ({ ...widget(name), status: value });

/** Requests whose answers must be the same on this server and on a real one, chapter by chapter. */
export const SCRIPT: Readonly<Record<string, readonly Step[]>> = {
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
    differs(TWICE, post(W, widget("d", { size: "x" }))),
    post(W, "{"),
    post(W, "[]"),
    post("/apis/test.capstan.dev/v1/namespaces/nope/widgets", widget("d")),
    differs(UNROUTED, post("/apis/test.capstan.dev/v1/widgets", widget("d"))),
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
    differs(UNROUTED, get("/apis/test.capstan.dev/v1/namespaces/default/gadgets")),
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
    differs(
      STATUS_METADATA,
      merge(`${W}/s/status`, {
        spec: { size: 9 },
        metadata: { labels: { x: "y" } },
        status: { phase: "Up" },
      }),
    ),
    differs(STATUS_METADATA, merge(`${W}/s`, { status: { phase: "Down" } })),
    put(`${W}/s/status`, status("s", { phase: "x" })),
    post(`${W}/s/status`, status("s", {})),
    differs(STATUS_METADATA, get(`${W}/s/status`)),
    get(`${W}/s/scale`),
    merge(`${W}/s/scale`, { spec: { replicas: 5 } }),
    merge(`${W}/s/scale`, { spec: { replicas: -1 } }),
    differs("a scale entry has a time here", get(`${W}/s`)),
    post(W, widget("t")),
    get(`${W}/t/scale`),
    merge(`${W}/t/scale`, { spec: { replicas: 5 } }),
    differs(UNROUTED, get(`${W}/s/bogus`)),
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
    differs("continue tokens are opaque", get(`${W}?labelSelector=n&limit=1`)),
    get(`${W}?sendInitialEvents=true&watch=1`),
    get(`${W}?watch=1&resourceVersion=abc`),
    get(`${W}/l1`, TABLE),
    get(W, PARTIAL_LIST),
    get(`${W}/l1`, PARTIAL),
    get(`${W}/l1`, "text/html"),
    get(`${W}/l1`, "text/html,application/json"),
  ],
  "server-side apply": [
    step("PATCH", `${W}/p`, widget("p", { size: 1 }), APPLY),
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
    post("/api/v1/namespaces/default/secrets", { metadata: { name: "s" }, stringData: { a: "b" } }),
    merge("/api/v1/namespaces/default/secrets/s", { type: "other" }),
    get("/api/v1/namespaces/default/secrets/s"),
    differs(GO_STRUCTS, post("/api/v1/nodes", { metadata: { name: "n1" }, spec: { providerID: "x://1" } })),
    differs(
      GO_STRUCTS,
      strategic("/api/v1/nodes/n1/status", { status: { conditions: [{ type: "Ready", status: "True" }] } }),
    ),
    differs(
      GO_STRUCTS,
      strategic("/api/v1/nodes/n1/status", { status: { conditions: [{ type: "Disk", status: "True" }] } }),
    ),
    differs(GO_STRUCTS, merge("/api/v1/nodes/n1", { metadata: { labels: { a: "b" } } })),
    differs(GO_STRUCTS, get("/api/v1/nodes/n1")),
    remove("/api/v1/nodes/n1"),
    differs(GO_STRUCTS, post("/api/v1/namespaces", { metadata: { name: "space" } })),
    post("/api/v1/namespaces", { metadata: { name: "spa.ce" } }),
    differs(GO_STRUCTS, get("/api/v1/namespaces/space")),
    differs(
      GO_STRUCTS,
      post("/apis/coordination.k8s.io/v1/namespaces/default/leases", {
        metadata: { name: "l" },
        spec: { holderIdentity: "me" },
      }),
    ),
    differs(
      GO_STRUCTS,
      post("/api/v1/namespaces/default/events", {
        metadata: { name: "e" },
        involvedObject: { kind: "Widget", name: "a", namespace: "default" },
        reason: "Because",
        type: "Normal",
      }),
    ),
    differs(
      GO_STRUCTS,
      get("/api/v1/namespaces/default/events?fieldSelector=involvedObject.name=a,involvedObject.kind=Widget"),
    ),
    get("/api/v1/namespaces/default/events?fieldSelector=involvedObject.name=zz"),
  ],
  CustomResourceDefinitions: [
    post(CRDS_PATH, { ...WIDGETS, metadata: { name: "wrong.name" } }),
    differs(
      "status.storedVersions is reported as well",
      post(CRDS_PATH, {
        ...WIDGETS,
        spec: { ...WIDGETS.spec, versions: [] },
        metadata: { name: "widgets.test.capstan.dev" },
      }),
    ),
    post(CRDS_PATH, gadgets({ schema: undefined })),
    differs("status.storedVersions is reported as well", post(CRDS_PATH, gadgets({ storage: false }))),
    differs(
      "a single version is named by a path of its former place",
      post(CRDS_PATH, gadgets({ schema: { openAPIV3Schema: { type: "object", properties: { spec: {} } } } })),
    ),
    get("/apis/test.capstan.dev/v1"),
    get("/apis/test.capstan.dev"),
    differs(GO_STRUCTS, get(`${CRDS_PATH}/widgets.test.capstan.dev`)),
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
