import { gzipSync } from "node:zlib";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../../../infra/platform/clock.ts";
import { createServer } from "../../../../infra/platform/kube/client.ts";
import type { ServerClient } from "../../../../infra/platform/kube/verbs.ts";
import { Node as NodeKind } from "../../../../shared/api/core.ts";
import type { Kind } from "../../../../shared/api/kinds.ts";
import { KubeError } from "../../../../shared/function/errors.ts";
import {
  event,
  json,
  listing,
  type ScriptedServer,
  startScriptedServer,
  streaming,
  text,
} from "../../../support/processes/scripted-server.ts";

const Node = NodeKind as unknown as Kind;

async function asking(script: (server: ScriptedServer) => void) {
  const stack = new AsyncDisposableStack();
  const server = stack.use(await startScriptedServer());
  script(server);
  const connection = stack.use(createServer({ server: server.url }, { clock: systemClock, untrusted: true }));
  const client = connection.as("relay");
  return { server, client, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** Returns the failures of reads from a server. */
async function failureOf(read: Promise<unknown>): Promise<KubeError> {
  const failure: unknown = await read.then(
    () => new Error("nothing failed"),
    (error: unknown) => error,
  );
  if (!(failure instanceof KubeError)) throw failure;
  return failure;
}

async function firstEvent(client: ServerClient): Promise<unknown> {
  const watch = client.watch(
    Node,
    { resourceVersion: "1", timeoutSeconds: 300 },
    new AbortController().signal,
  );
  return (await watch.next()).value;
}

const meta = { name: "n1", uid: "u1", resourceVersion: "7" };
const node = (change: object) => ({ apiVersion: "v1", kind: "Node", metadata: meta, ...change });

/** Nodes that no API server sends, and what is said of them. */
const MALFORMED: readonly (readonly [object | string | null, string])[] = [
  [null, "it is not an object"],
  ["n1", "it is not an object"],
  [node({ metadata: undefined }), "metadata is not an object"],
  [node({ metadata: [] }), "metadata is not an object"],
  [node({ kind: {} }), "apiVersion or kind is not a text"],
  [node({ metadata: { ...meta, name: 7 } }), "metadata.name is missing"],
  [node({ metadata: { ...meta, uid: {} } }), "metadata.uid is not a text"],
  [node({ metadata: { ...meta, labels: null } }), "metadata.labels is not a map of texts"],
  [node({ metadata: { ...meta, annotations: { a: 1 } } }), "metadata.annotations is not a map of texts"],
  [node({ metadata: { ...meta, finalizers: "a" } }), "metadata.finalizers is not a list"],
  [node({ metadata: { ...meta, ownerReferences: [null] } }), "metadata.ownerReferences is not a list"],
  [node({ metadata: { ...meta, managedFields: {} } }), "metadata.managedFields is not a list"],
  [node({ spec: 5 }), "spec of a Node"],
  [node({ spec: { taints: 5 } }), "spec.taints of a Node"],
  [node({ spec: { taints: [null] } }), "spec.taints of a Node"],
  [node({ spec: { providerID: {} } }), "spec.providerID of a Node"],
  [node({ status: { conditions: {} } }), "status.conditions of a Node"],
  [node({ status: { conditions: [{ type: 1 }] } }), "status.conditions.type of a Node"],
  [node({ status: { nodeInfo: "a" } }), "status.nodeInfo of a Node"],
  ...["n\u001b[2J", "a\nb", "A", "-a", "a..b", "a/b", "é", "x".repeat(254)].map(
    (name) =>
      [node({ metadata: { ...meta, name } }), "metadata.name of a Node is not a DNS subdomain"] as const,
  ),
];

describe("an answer that no API server gives", () => {
  it.each(MALFORMED)("is undecodable in lists, watches and reads: %j", async (object, problem) => {
    const good = node({});
    await using asked = await asking(({ lists, watches, others }) => {
      lists.push(json(200, { kind: "NodeList", metadata: { resourceVersion: "1" }, items: [good, object] }));
      watches.push(streaming(`${JSON.stringify({ type: "ADDED", object })}\n`));
      others.push(text(200, JSON.stringify(object)));
    });
    const { client, server } = asked;
    const reads = [
      client.list(Node, {}),
      firstEvent(client),
      client.get(Node, { namespace: "", name: "n1" }),
    ];
    const [list, watch, get] = await Promise.all(reads.map(failureOf));
    for (const failure of [list, watch, get]) {
      expect(failure).toMatchObject({ class: "Transient", reason: "Undecodable", status: 0 });
      expect(failure?.message).toContain(server.url.host);
    }
    expect(list?.message).toContain(`an item of the list is malformed: ${problem}`);
    expect(watch?.message).toContain(problem);
  });

  it.each([
    [{ kind: "NodeList", items: [] }, "metadata.resourceVersion"],
    [{ kind: "NodeList", metadata: null, items: [] }, "metadata.resourceVersion"],
    [{ kind: "NodeList", metadata: { resourceVersion: 1 }, items: [] }, "metadata.resourceVersion"],
    [{ kind: "NodeList", metadata: { resourceVersion: "1", continue: {} }, items: [] }, "metadata.continue"],
    [{ kind: "NodeList", metadata: { resourceVersion: "1" }, items: { length: 1 } }, "items is not a list"],
    [{ kind: "NodeList", metadata: { resourceVersion: "1" }, items: "abc" }, "items is not a list"],
    [{ kind: 5, metadata: { resourceVersion: "1" } }, "not a Kubernetes object"],
    [[], "not a Kubernetes object"],
  ])("is undecodable as a list: %j", async (body, problem) => {
    await using asked = await asking(({ lists }) => void lists.push(json(200, body)));
    const failure = await failureOf(asked.client.list(Node, {}));
    expect([failure.reason, failure.message]).toEqual(["Undecodable", expect.stringContaining(problem)]);
  });

  const statuses: readonly object[] = [
    { reason: {} },
    { message: [] },
    { code: "409" },
    { details: "all of it" },
    { details: { causes: {} } },
    { details: { causes: [null] } },
    { details: { causes: [{ reason: 1 }] } },
    { details: { retryAfterSeconds: "soon" } },
  ];
  it.each(statuses)("is undecodable as a Status (%#)", async (members) => {
    const status = { kind: "Status", status: "Failure", ...members };
    for (const code of [403, 404, 409, 422, 500]) {
      await using asked = await asking(({ lists, watches }) => {
        lists.push(...Array(3).fill(json(code, status)));
        watches.push(streaming(event("ERROR", status)));
      });
      const list = await failureOf(asked.client.list(Node, {}));
      expect([list.status, list.reason]).toEqual([code, "Undecodable"]);
      expect(list.message.length).toBeLessThan(1_100);
      expect((await failureOf(firstEvent(asked.client))).reason).toBe("Undecodable");
    }
  });

  it("is undecodable as a Status of 2 MB", async () => {
    const status = { kind: "Status", status: "Failure", reason: "Conflict", message: "x".repeat(2_000_000) };
    await using asked = await asking(({ lists }) => void lists.push(json(409, status)));
    expect(await failureOf(asked.client.list(Node, {}))).toMatchObject({
      status: 409,
      reason: "Undecodable",
    });
  });

  it("is never a TypeError, whatever stands in it", async () => {
    await using asked = await asking(() => undefined);
    const { client, server } = asked;
    const any = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(node({}), meta, {}, []));
    const members = fc.constantFrom(
      "kind",
      "metadata",
      "items",
      "details",
      "causes",
      "code",
      "reason",
      "message",
      "object",
      "type",
      "spec",
      "status",
      "taints",
      "conditions",
      "name",
      "uid",
      "resourceVersion",
      "continue",
    );
    const body = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        any,
        fc.dictionary(members, tie("value")),
        fc.array(tie("value"), { maxLength: 2 }),
      ),
    })).value;
    const answer = fc.tuple(fc.constantFrom(200, 200, 409, 422), body);
    await fc.assert(
      fc.asyncProperty(answer, async ([code, value]) => {
        const reply = text(code, JSON.stringify(value));
        server.lists.push(reply);
        server.others.push(reply);
        server.watches.push(streaming(`${JSON.stringify({ type: "MODIFIED", object: value })}\n`));
        const reads = [
          client.list(Node, {}),
          firstEvent(client),
          client.get(Node, { namespace: "", name: "n1" }),
        ];
        for (const read of await Promise.allSettled(reads)) {
          if (read.status === "rejected") expect(read.reason).toBeInstanceOf(KubeError);
        }
        server.lists.length = 0;
        server.others.length = 0;
        server.watches.length = 0;
      }),
      { numRuns: 150 },
    );
  });
});

describe("a list without end", () => {
  it("of empty pages is given up after ten of them, and says so (KR-20)", async () => {
    let pages = 0;
    await using asked = await asking(({ lists }) => {
      for (let page = 0; page < 100; page += 1) {
        lists.push((response, exchange) => {
          pages += 1;
          listing([], "1", `token-${page}`)(response, exchange);
        });
      }
    });
    const failure = await failureOf(asked.client.list(Node, {}));
    expect([failure.reason, pages]).toEqual(["TooLarge", 11]);
    expect(failure.message).toContain("the list continues after 10 pages without an item");
  });

  it("that expires before its end again and again is given up", async () => {
    await using asked = await asking(({ lists }) => {
      for (let page = 0; page < 50; page += 1) {
        lists.push(listing([node({})], "1", "token"));
        lists.push(json(410, { kind: "Status", code: 410, reason: "Expired", message: "expired" }));
      }
    });
    const failure = await failureOf(asked.client.list(Node, {}));
    expect([failure.reason, failure.message]).toEqual(["TooLarge", expect.stringContaining("expired")]);
  });

  it("is cut off where it is unpacked to more than a page may be, not after it (S-14)", async () => {
    const zeros = gzipSync(Buffer.alloc(80 * 1024 * 1024, " "));
    await using asked = await asking(
      ({ lists }) =>
        void lists.push(text(200, zeros, { "Content-Type": "application/json", "Content-Encoding": "gzip" })),
    );
    expect((await failureOf(asked.client.list(Node, {}))).reason).toBe("TooLarge");
  });
});
