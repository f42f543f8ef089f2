import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../../../infra/platform/clock.ts";
import { createServer, type Server, type ServerOptions } from "../../../../infra/platform/kube/client.ts";
import { addressList, type ServerAccess } from "../../../../infra/platform/kube/server-access.ts";
import type { Kind } from "../../../../shared/api/kinds.ts";
import type { KubeClient } from "../../../../shared/runtime/ports.ts";
import { virtualClock } from "../../../support/clock.ts";
import {
  failing,
  json,
  listing,
  type Reply,
  type ScriptedServer,
  startScriptedServer,
  text,
} from "../../../support/processes/scripted-server.ts";
import { recordingLog } from "../../../support/recording-log.ts";
import { testFolder } from "../../../support/test-folder.ts";
import { Thing } from "../../../support/thing.ts";

const verbs = ["get", "list", "patch"];

async function kindsOf(reply: Reply, apiVersion: string) {
  await using scripted = await startScriptedServer();
  scripted.others.push(reply);
  using server = createServer({ server: scripted.url }, { clock: systemClock });
  const kinds = await server.as("up").kinds(apiVersion);
  return { kinds, paths: scripted.requests.map(({ path }) => path) };
}

function list(resources: unknown): Reply {
  return json(200, { kind: "APIResourceList", apiVersion: "v1", resources });
}

describe("the kinds that a server serves", () => {
  it("are those that hold objects, without subresources", async () => {
    const { kinds, paths } = await kindsOf(
      list([
        { name: "configmaps", kind: "ConfigMap", namespaced: true, verbs },
        { name: "namespaces", kind: "Namespace", namespaced: false, verbs },
        { name: "namespaces/status", kind: "Namespace", namespaced: false, verbs },
        { name: "bindings", kind: "Binding", namespaced: true, verbs: ["create"] },
      ]),
      "v1",
    );
    const core = { group: "", version: "v1" };
    expect(kinds).toEqual<readonly Kind[]>([
      { ...core, kind: "ConfigMap", plural: "configmaps", namespaced: true },
      { ...core, kind: "Namespace", plural: "namespaces", namespaced: false },
    ]);
    expect(paths).toEqual(["/api/v1"]);
  });

  it("are missing where the group or version is not served", async () => {
    expect(await kindsOf(failing(404, "NotFound"), "parts.dev/v1")).toEqual({
      kinds: [],
      paths: ["/apis/parts.dev/v1"],
    });
  });

  it.each(["../../api/v1", "a/b/c", "", "parts.dev/v1?x", "Parts.dev/v1"])(
    "are missing without a request for an apiVersion that no server can serve: %j",
    async (apiVersion) => {
      expect(await kindsOf(failing(500, "InternalError"), apiVersion)).toEqual({ kinds: [], paths: [] });
    },
  );

  it("leave out what is malformed; HTML and a refusal are errors", async () => {
    const odd = list([null, 7, { name: 1, kind: "A" }, { name: "as", kind: "A", verbs: "all" }]);
    expect((await kindsOf(odd, "v1")).kinds).toEqual([]);
    expect((await kindsOf(list("all"), "v1")).kinds).toEqual([]);
    await expect(kindsOf(text(200, "<html>"), "v1")).rejects.toThrow("not a Kubernetes object");
    await expect(kindsOf(failing(403, "Forbidden"), "v1")).rejects.toThrow("apiresourcelists");
  });
});

const key = { namespace: "default", name: "a" };
const a = {
  apiVersion: "things.example/v1",
  kind: "Thing",
  metadata: { ...key, uid: "u", resourceVersion: "5" },
};

interface World extends AsyncDisposable {
  readonly scripted: ScriptedServer;
  readonly server: Server;
  readonly client: KubeClient;
}

async function world(
  replies: readonly Reply[],
  options: Partial<ServerOptions> & { access?: Partial<ServerAccess> } = {},
): Promise<World> {
  const stack = new AsyncDisposableStack();
  const scripted = stack.use(await startScriptedServer());
  scripted.others.push(...replies);
  const server = stack.use(
    createServer(
      { server: scripted.url, ...options.access },
      { clock: systemClock, version: "1.2.3", ...options },
    ),
  );
  return {
    scripted,
    server,
    client: server.as("pool-nodes"),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** The Status of a 404 that names the object. */
const absent = failing(404, "NotFound", { details: { name: "a", kind: "things" } });
const none = new AbortController().signal;
const test = [{ op: "test", path: "/metadata/uid", value: "u" }] as const;

describe("client", () => {
  it("says who it is and who manages the fields (KC-05)", async () => {
    await using w = await world([json(200, a), json(200, a), json(201, a)]);
    await w.client.apply(Thing, key, { spec: {} }, "status");
    await w.client.jsonPatch(Thing, key, test);
    await w.client.create(Thing, a);
    const seen = w.scripted.requests.map(({ method, path, query, headers }) => [
      method,
      path,
      query.get("fieldManager"),
      query.get("force"),
      headers["content-type"],
      headers["user-agent"],
    ]);
    const agent = "capstan/1.2.3 pool-nodes";
    const root = "/apis/things.example/v1/namespaces/default/things";
    expect(seen).toEqual([
      ["PATCH", `${root}/a/status`, "capstan-pool-nodes", "true", "application/apply-patch+yaml", agent],
      ["PATCH", `${root}/a`, "capstan-pool-nodes", null, "application/json-patch+json", agent],
      ["POST", root, "capstan-pool-nodes", null, "application/json", agent],
    ]);
  });

  it("patches and deletes on a server that knows merge patches only and answers deletions with nothing", async () => {
    const unknown = failing(415, "UnsupportedMediaType");
    await using w = await world([unknown, json(200, a), json(200, a), unknown, json(200, a), text(200, "")]);
    await w.client.jsonPatch(Thing, key, [...test, { op: "add", path: "/spec", value: { size: 1 } }]);
    expect(w.scripted.requests[2]?.headers["content-type"]).toBe("application/merge-patch+json");
    expect(JSON.parse(w.scripted.requests[2]?.body ?? "")).toEqual({
      metadata: { resourceVersion: "5" },
      spec: { size: 1 },
    });
    const another = [{ op: "test", path: "/metadata/uid", value: "other" }] as const;
    await expect(w.client.jsonPatch(Thing, key, another)).rejects.toMatchObject({ class: "Conflict" });
    expect(await w.client.delete(Thing, key, { uid: "u", resourceVersion: "5" })).toBeUndefined();
  });

  it("deletes in the background with preconditions", async () => {
    await using w = await world([json(200, { kind: "Status", status: "Success" }), absent, json(200, a)]);
    const preconditions = { uid: "u", resourceVersion: "5" };
    expect(await w.client.delete(Thing, key, preconditions)).toBeUndefined();
    expect(await w.client.delete(Thing, key, preconditions)).toBeUndefined();
    expect((await w.client.delete(Thing, key, preconditions))?.metadata.uid).toBe("u");
    expect(JSON.parse(w.scripted.requests[0]?.body ?? "")).toMatchObject({
      propagationPolicy: "Background",
      preconditions,
    });
  });

  it("sends no write once it may not, also when it had to wait for its turn; reads continue", async () => {
    await using w = await world([json(200, a)]);
    let isOver: boolean = false;
    const mayGo = (): void => {
      if (isOver) throw new Error("the lease expired");
    };
    const client = w.server.as("pool-nodes", { mayGo });
    const late = client.jsonPatch(Thing, key, test);
    isOver = true;
    await expect(late).rejects.toThrow("the lease expired");
    expect((await client.get(Thing, key))?.metadata.uid).toBe("u");
    expect(w.scripted.requests.map(({ method }) => method)).toEqual(["GET"]);
  });

  it("puts the run into every request, where the API server's audit log keeps it", async () => {
    await using w = await world([json(200, a), json(200, a)]);
    const client = w.server.as("pool-nodes", { runId: "0123456789abcdef" });
    await client.get(Thing, key);
    await client.jsonPatch(Thing, key, test);
    await w.client.get(Thing, key).catch(() => undefined);
    const ids = w.scripted.requests.map(({ headers }) => headers["audit-id"]);
    expect(ids).toEqual(["0123456789abcdef", "0123456789abcdef", undefined]);
  });

  it("asks for a dry run with every verb that writes", async () => {
    await using w = await world([json(200, a), json(200, a), json(201, a), json(200, a)]);
    const client = w.server.as("pool-nodes", { dryRun: true });
    await client.apply(Thing, key, { spec: {} });
    await client.jsonPatch(Thing, key, test);
    await client.create(Thing, a);
    await client.delete(Thing, key, { uid: "u" });
    const asked = w.scripted.requests.map(({ query }) => query.get("dryRun"));
    expect(asked).toEqual(["All", "All", "All", null]);
    expect(JSON.parse(w.scripted.requests[3]?.body ?? "")).toMatchObject({
      dryRun: ["All"],
      preconditions: { uid: "u" },
    });
  });

  it("distinguishes a missing object from a type that is not served", async () => {
    const unserved = text(404, "404 page not found\n");
    const ofNamespace = failing(404, "NotFound", { details: { name: "default", kind: "namespaces" } });
    await using w = await world([absent, unserved, ofNamespace]);
    expect(await w.client.get(Thing, key)).toBeUndefined();
    await expect(w.client.get(Thing, key)).rejects.toMatchObject({
      reason: "TypeNotServed",
      class: "Transient",
    });
    await expect(w.client.create(Thing, a)).rejects.toMatchObject({ reason: "NamespaceNotFound" });
  });

  it("adds kind and apiVersion to the items of built-in lists", async () => {
    await using w = await world([]);
    w.scripted.lists.push(listing([{ metadata: { name: "n" } }], "9"));
    const Node: Kind = { group: "", version: "v1", kind: "Node", plural: "nodes", namespaced: false };
    expect(await w.client.list(Node, { labelSelector: "a=b" })).toEqual({
      items: [{ apiVersion: "v1", kind: "Node", metadata: { name: "n" } }],
      resourceVersion: "9",
    });
    expect(w.scripted.requests[0]?.query.get("labelSelector")).toBe("a=b");
  });

  const cause = (field: string, reason = "FieldValueInvalid") => ({
    details: { causes: [{ reason, field, message: "m" }] },
  });
  it.each([
    ["409 of a stale version", failing(409, "Conflict"), { class: "Conflict", reason: "Conflict" }],
    [
      "409 of another manager",
      failing(409, "Conflict", cause(".spec.a", "FieldManagerConflict")),
      { class: "Transient" },
    ],
    ["409 AlreadyExists", failing(409, "AlreadyExists"), { class: "Conflict", reason: "AlreadyExists" }],
    ["a failed test", failing(422, "Invalid"), { class: "Conflict" }],
    ["an invalid field", failing(422, "Invalid", cause("spec.a")), { class: "Terminal" }],
    ["a re-created object", failing(422, "Invalid", cause("metadata.uid")), { class: "Conflict" }],
    ["a bad request", failing(400, "BadRequest"), { class: "Terminal" }],
    ["403", failing(403, "Forbidden"), { class: "Transient", reason: "Forbidden" }],
    ["500", failing(500, "InternalError"), { class: "Transient", reason: "InternalError" }],
    ["502 of a proxy", text(502, "<html>"), { class: "Transient", reason: "NoAnswer" }],
    ["an HTML page", text(200, "<html>"), { class: "Transient", reason: "Undecodable" }],
    [
      "a redirect (S-12)",
      text(302, "", { Location: "http://169.254.169.254/" }),
      { class: "Transient", reason: "Redirected" },
    ],
    ["a write to what is gone", absent, { class: "Conflict", reason: "NotFound" }],
    [
      "a version ahead of the server",
      failing(504, "Timeout", {
        details: { retryAfterSeconds: 1, causes: [{ reason: "ResourceVersionTooLarge" }] },
      }),
      { class: "Transient", retryAfterMs: 1_000 },
    ],
  ])("gives %s its class (KC-06)", async (_what, reply, expected) => {
    await using w = await world([reply]);
    await expect(w.client.jsonPatch(Thing, key, test)).rejects.toMatchObject({
      name: "KubeError",
      ...expected,
    });
    expect(w.scripted.requests).toHaveLength(1);
  });

  it("takes a 422 without causes for terminal when there was no test to fail", async () => {
    await using w = await world([failing(422, "Invalid")]);
    await expect(w.client.apply(Thing, key, {})).rejects.toMatchObject({ class: "Terminal" });
  });

  it("waits as long as a 429 says and repeats any request (KC-09)", async () => {
    await using w = await world([failing(429, "TooManyRequests", {}, { "Retry-After": "0" }), json(200, a)]);
    expect(await w.client.jsonPatch(Thing, key, test)).toMatchObject({ kind: "Thing" });
  });

  it("gives up at once, as throttled, when it should wait longer than its deadline (KC-09)", async () => {
    await using w = await world([failing(429, "TooManyRequests", {}, { "Retry-After": "60" })]);
    const throttled = { class: "Throttled", status: 429, retryAfterMs: 60_000 };
    await expect(w.client.get(Thing, key)).rejects.toMatchObject(throttled);
    // The pause holds for every client of this server.
    await expect(w.server.as("other").get(Thing, key)).rejects.toMatchObject({
      class: "Throttled",
      status: 0,
    });
    expect(w.scripted.requests).toHaveLength(1);
  });

  it("waits for at most five minutes, however long a server asks for (KC-09)", async () => {
    const years = 1e9;
    for (const reply of [
      failing(429, "TooManyRequests", {}, { "Retry-After": `${years}` }),
      failing(429, "TooManyRequests", { details: { retryAfterSeconds: years } }),
    ]) {
      const clock = virtualClock();
      await using w = await world([reply, json(200, a)], { clock });
      await expect(w.client.get(Thing, key)).rejects.toMatchObject({ retryAfterMs: 300_000 });
      await expect(w.client.get(Thing, key)).rejects.toMatchObject({ class: "Throttled", status: 0 });
      await clock.advance(300_000);
      expect(await w.client.get(Thing, key)).toMatchObject({ kind: "Thing" });
    }
  });

  describe("evictions", () => {
    const eviction = { uid: "uid-a", withinMs: 5_000 };
    const success = json(201, { kind: "Status", apiVersion: "v1", status: "Success", code: 201 });
    const budget = failing(429, "TooManyRequests", {
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      details: { retryAfterSeconds: 10, causes: [{ reason: "DisruptionBudget", message: "needs 2" }] },
    });

    it("name the Pod by uid, and are accepted with a Status", async () => {
      await using w = await world([success]);
      await w.client.evict(key, { ...eviction, gracePeriodSeconds: 1 });
      const [sent] = w.scripted.requests;
      expect([sent?.method, sent?.path]).toEqual(["POST", "/api/v1/namespaces/default/pods/a/eviction"]);
      expect(JSON.parse(sent?.body ?? "")).toEqual({
        apiVersion: "policy/v1",
        kind: "Eviction",
        metadata: { namespace: "default", name: "a" },
        deleteOptions: { preconditions: { uid: "uid-a" }, gracePeriodSeconds: 1 },
      });
    });

    it("that a budget refuses are not repeated, and pause no other request", async () => {
      await using w = await world([budget, json(200, a)]);
      const refusal = {
        class: "Transient",
        status: 429,
        causes: [{ reason: "DisruptionBudget", message: "needs 2" }],
      };
      await expect(w.client.evict(key, eviction)).rejects.toMatchObject(refusal);
      expect(await w.client.get(Thing, key)).toMatchObject({ kind: "Thing" });
      expect(w.scripted.requests).toHaveLength(2);
    });

    it("that the server itself puts off are not repeated, and pause other requests", async () => {
      await using w = await world([failing(429, "TooManyRequests", {}, { "Retry-After": "60" })]);
      await expect(w.client.evict(key, eviction)).rejects.toMatchObject({ class: "Throttled", status: 429 });
      await expect(w.client.get(Thing, key)).rejects.toMatchObject({ class: "Throttled", status: 0 });
      expect(w.scripted.requests).toHaveLength(1);
    });

    it("wait no longer than they may, for a turn or for the answer", async () => {
      await using w = await world([() => undefined]);
      const timeout = { reason: "EvictionTimeout", status: 0 };
      await expect(w.client.evict(key, { ...eviction, withinMs: 50 })).rejects.toMatchObject(timeout);
    });

    it("leave a dry run unsent", async () => {
      await using w = await world([]);
      await w.server.as("f", { dryRun: true }).evict(key, eviction);
      expect(w.scripted.requests).toEqual([]);
    });
  });

  it("starts a list over, without pages, when its continuation has expired (KC-08)", async () => {
    await using w = await world([]);
    const page = (name: string, version: string, token?: string) =>
      listing([{ ...a, metadata: { ...a.metadata, name } }], version, token);
    w.scripted.lists.push(page("old", "9", "next"), failing(410, "Expired"), page("new", "12"));
    const { items, resourceVersion } = await w.client.list(Thing, { namespace: "default" });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(["new"]);
    expect(resourceVersion).toBe("12");
    const asked = w.scripted.requests.map(({ query }) => [query.get("limit"), query.get("continue")]);
    expect(asked).toEqual([
      ["500", null],
      ["500", "next"],
      [null, null],
    ]);
  });

  it("keeps only the objects of each page whose field is one of those asked for", async () => {
    await using w = await world([]);
    const page = (names: readonly string[], version: string, token?: string) =>
      listing(
        names.map((name) => ({ ...a, metadata: { ...a.metadata, name } })),
        version,
        token,
      );
    w.scripted.lists.push(page(["n1", "n2"], "9", "next"), page(["n3", "n4"], "9"));
    const { items } = await w.client.list(Thing, {
      where: { path: "metadata.name", values: ["n4", "n1", "n9"] },
      pageItems: 2,
    });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(["n1", "n4"]);
    expect(w.scripted.requests.map(({ query }) => query.get("limit"))).toEqual(["2", "2"]);
  });

  it("looks into the objects of a list for the field, and leaves out those that lack it", async () => {
    await using w = await world([]);
    const thing = (name: string, spec: object) => ({ ...a, metadata: { ...a.metadata, name }, spec });
    const things = [thing("t1", { nodeName: "n1" }), thing("t2", { nodeName: "n2" }), thing("t3", {})];
    w.scripted.lists.push(listing(things));
    const { items } = await w.client.list(Thing, { where: { path: "spec.nodeName", values: ["n1"] } });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(["t1"]);
  });

  it("gives a list up as soon as it has more objects than its caller can use", async () => {
    await using w = await world([]);
    w.scripted.lists.push(listing([a, a], "9", "next"), listing([a], "9", "next"));
    await expect(w.client.list(Thing, { maxItems: 2 })).rejects.toMatchObject({
      reason: "TooLarge",
      message: expect.stringContaining("more than 2 objects"),
    });
    expect(w.scripted.requests).toHaveLength(2);
  });

  it("waits once for a server that is behind, then leaves it to its caller (KC-06)", async () => {
    const behind = failing(504, "Timeout", {
      details: { retryAfterSeconds: 0, causes: [{ reason: "ResourceVersionTooLarge" }] },
    });
    await using w = await world([]);
    w.scripted.lists.push(behind, listing([]), behind, behind);
    expect(await w.client.list(Thing, {})).toMatchObject({ items: [] });
    await expect(w.client.list(Thing, {})).rejects.toMatchObject({ reason: "Timeout", class: "Transient" });
  });

  it("spares no server that only prepares a type it has just got to know", async () => {
    const { log, lines } = recordingLog();
    await using w = await world([json(200, a)], { log });
    const message = "storage is (re)initializing";
    w.scripted.watches.push(failing(429, "TooManyRequests", { message }, { "Retry-After": "60" }));
    const watch = w.server.as("relay").watch(Thing, { resourceVersion: "1", timeoutSeconds: 300 }, none);
    await expect(watch.next()).rejects.toMatchObject({ class: "Throttled", reason: "StorageInitializing" });
    expect(await w.client.get(Thing, key)).toMatchObject({ kind: "Thing" });
    expect(lines).toEqual([]);
  });

  it("lets every request to a server wait when one was asked to, even by a watch (KC-09)", async () => {
    const clock = virtualClock();
    await using w = await world([json(200, a)], { clock });
    w.scripted.watches.push(failing(429, "TooManyRequests", {}, { "Retry-After": "3" }));
    const watch = w.server.as("relay").watch(Thing, { resourceVersion: "1", timeoutSeconds: 300 }, none);
    await expect(watch.next()).rejects.toMatchObject({ class: "Throttled", retryAfterMs: 3_000 });
    let answered = false;
    const get = w.client.get(Thing, key).then(() => {
      answered = true;
    });
    await clock.advance(2_999);
    expect(answered).toBe(false);
    expect(w.scripted.requests).toHaveLength(1);
    await clock.advance(1);
    await get;
  });

  it("does not repeat a write after 503 without Retry-After, but a read", async () => {
    await using w = await world([
      failing(503, "ServiceUnavailable"),
      failing(503, "ServiceUnavailable", {}, { "Retry-After": "0" }),
      json(200, a),
    ]);
    await expect(w.client.jsonPatch(Thing, key, test)).rejects.toMatchObject({ class: "Throttled" });
    expect(await w.client.get(Thing, key)).toMatchObject({ kind: "Thing" });
  });

  it("reads a token file again after a 401, once (KC-02, KC-06)", async () => {
    const path = testFolder("token");
    const tokenFile = join(path, "token");
    await writeFile(tokenFile, "new\n");
    await using w = await world(
      [
        failing(401, "Unauthorized"),
        json(200, a),
        failing(401, "Unauthorized"),
        failing(401, "Unauthorized"),
      ],
      {
        access: { token: "old", tokenFile },
      },
    );
    expect(await w.client.get(Thing, key)).toMatchObject({ kind: "Thing" });
    await expect(w.client.get(Thing, key)).rejects.toMatchObject({
      reason: "Unauthorized",
      class: "Transient",
    });
    const tokens = w.scripted.requests.map(({ headers }) => headers["authorization"]);
    expect(tokens).toEqual(["Bearer old", "Bearer new", "Bearer new"]);
  });

  it("takes the access that a reload gives after a 401", async () => {
    await using scripted = await startScriptedServer();
    scripted.others.push(failing(401, "Unauthorized"), json(200, a));
    const access = (token: string): ServerAccess => ({ server: scripted.url, token });
    using server = createServer(access("old"), { clock: systemClock, reload: async () => access("rotated") });
    await server.as("x").get(Thing, key);
    expect(scripted.requests.map(({ headers }) => headers["authorization"])).toEqual([
      "Bearer old",
      "Bearer rotated",
    ]);
  });

  it("understands gzip and refuses an answer beyond its limit (S-14)", async () => {
    const zipped = gzipSync(JSON.stringify(a));
    const bomb = gzipSync(Buffer.alloc(12 * 1024 * 1024, " "));
    const encoding = { "Content-Encoding": "gzip" };
    await using w = await world([
      text(200, zipped, encoding),
      text(200, Buffer.alloc(11 * 1024 * 1024)),
      text(200, bomb, encoding),
    ]);
    expect(await w.client.get(Thing, key)).toMatchObject({ kind: "Thing" });
    await expect(w.client.get(Thing, key)).rejects.toMatchObject({ reason: "TooLarge" });
    await expect(w.client.get(Thing, key)).rejects.toMatchObject({ name: "KubeError" });
  });

  it("refuses a name that resolves to a refused address (S-11)", async () => {
    await using scripted = await startScriptedServer();
    const server = new URL(`http://localhost:${scripted.url.port}`);
    const policies = [{ allowLoopback: false }, { allowLoopback: true, only: addressList(["10.0.0.0/8"]) }];
    for (const addresses of policies) {
      using refused = createServer({ server, addresses }, { clock: systemClock });
      await expect(refused.as("x").get(Thing, key)).rejects.toThrow(/loopback|--workload-addresses/);
    }
    expect(scripted.requests).toHaveLength(0);
  });

  it("answers a probe", async () => {
    await using w = await world([json(200, { kind: "Paths", paths: [] }), failing(500, "InternalError")]);
    await w.server.probe();
    await expect(w.server.probe()).rejects.toMatchObject({ reason: "InternalError" });
    expect([...w.server.answers]).toEqual([
      [200, 1],
      [500, 1],
    ]);
  });
});
