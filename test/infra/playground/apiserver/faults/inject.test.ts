import { createConnection } from "node:net";
import { describe, expect, it } from "vitest";
import type { StreamEffect } from "../../../../../infra/playground/apiserver/faults/faults.ts";
import { holds } from "../../../../support/eventually.ts";
import { MERGE, startTestServer, type TestApiServer, WIDGETS_PATH, widget } from "../api-client.ts";

const create = (api: TestApiServer, name: string) => api.call("POST", WIDGETS_PATH, { body: widget(name) });

/** A watch over two present objects, and one that comes later. */
async function watched(as: StreamEffect["as"], afterEvents: number, ms?: number) {
  const api = await startTestServer();
  for (const name of ["a", "b"]) await create(api, name);
  const effect = { kind: "stream", as, afterEvents, ...(ms === undefined ? {} : { ms }) } as const;
  api.server.faults.add({ times: 1, effect });
  const answer = await fetch(`${api.server.url}${WIDGETS_PATH}?watch=1`, {
    headers: { authorization: `Bearer ${api.server.token}` },
  });
  await create(api, "c");
  return { api, answer };
}

async function textOf(as: StreamEffect["as"], afterEvents: number): Promise<string> {
  const { api, answer } = await watched(as, afterEvents);
  await using _ = api;
  return answer.text();
}

const namesIn = (text: string) => [...text.matchAll(/"name":"(\w)"/g)].map(([, name]) => name);

describe("a faulty watch", () => {
  it("says in the stream that its version is too old", async () => {
    const text = await textOf("expire", 1);
    expect(namesIn(text)).toEqual(["a"]);
    const [, last = ""] = text.trim().split("\n");
    expect(JSON.parse(last)).toMatchObject({ type: "ERROR", object: { code: 410, reason: "Expired" } });
  });

  it("sends an error, half a line, or ends", async () => {
    expect(JSON.parse(await textOf("error", 0))).toMatchObject({ type: "ERROR", object: { code: 500 } });
    expect(await textOf("halfLine", 0)).toBe('{"type":"MODIFIED","object":{"apiVersion":"v1","ki');
    expect(await textOf("end", 0)).toBe("");
    expect(namesIn(await textOf("end", 2))).toEqual(["a", "b"]);
  });

  it("breaks its connection", async () => {
    await expect(textOf("reset", 1)).rejects.toThrow();
  });

  it("sends garbage, unknown types, too little or too much, and continues", async () => {
    const seen: Record<string, readonly (string | undefined)[]> = {};
    for (const as of ["garbage", "unknownType", "drop", "duplicate"] as const) {
      const { api, answer } = await watched(as, 1);
      await using _ = api;
      let text = "";
      for await (const chunk of answer.body ?? []) {
        text += Buffer.from(chunk as Uint8Array).toString("utf8");
        if (text.includes('"name":"c"')) break;
      }
      seen[as] = [...namesIn(text), /<html>|SURPRISE/.exec(text)?.[0]];
    }
    expect(seen).toEqual({
      garbage: ["a", "b", "c", "<html>"],
      unknownType: ["a", "b", "c", "SURPRISE"],
      drop: ["a", "c", undefined],
      duplicate: ["a", "b", "b", "c", undefined],
    });
  });

  it("is late from one event on", async () => {
    const { api, answer } = await watched("late", 1, 200);
    await using _ = api;
    let text = "";
    for await (const chunk of answer.body ?? []) {
      if (text === "") expect(namesIn(Buffer.from(chunk as Uint8Array).toString("utf8"))).toEqual(["a"]);
      text += Buffer.from(chunk as Uint8Array).toString("utf8");
      if (text.includes('"name":"c"')) break;
    }
    expect(namesIn(text)).toEqual(["a", "b", "c"]);
  });

  it("says nothing more and stays open, whatever its timeout", async () => {
    await using api = await startTestServer();
    api.server.faults.add({ times: 1, effect: { kind: "stream", as: "stall" } });
    let bytes = "";
    const socket = createConnection(api.server.port, "127.0.0.1");
    socket.on("data", (chunk) => {
      bytes += chunk.toString("utf8");
    });
    const headers = `Host: localhost\r\nAuthorization: Bearer ${api.server.token}\r\n\r\n`;
    socket.write(`GET ${WIDGETS_PATH}?watch=1&timeoutSeconds=1 HTTP/1.1\r\n${headers}`);
    await create(api, "a");
    await holds(() => !bytes.includes("ADDED") && !socket.closed, { forMs: 1_300 });
    expect(bytes).toMatch(/^HTTP\/1.1 200/);
    socket.destroy();
  });
});

const PATH = `${WIDGETS_PATH}/a`;

async function withWidget(): Promise<TestApiServer> {
  const api = await startTestServer();
  await api.call("POST", WIDGETS_PATH, { body: widget("a", { size: 1 }) });
  return api;
}

const resize = (api: TestApiServer, size: number, metadata = {}) =>
  api.call("PATCH", PATH, { type: MERGE, body: { metadata, spec: { size } } });
const sizeOf = async (api: TestApiServer) => (await api.call("GET", PATH)).body?.spec?.size;
const writes = { verbs: ["patch"] };

describe("an injected fault", () => {
  it("answers instead of the request, which has no effect", async () => {
    await using api = await withWidget();
    const { faults } = api.server;
    faults.add({ on: writes, times: 1, effect: { kind: "status", code: 429, retryAfterSeconds: 3 } });
    const throttled = await resize(api, 2);
    expect([throttled.code, throttled.headers["retry-after"], throttled.body.reason]).toEqual([
      429,
      "3",
      "TooManyRequests",
    ]);
    faults.add({ on: writes, times: 1, effect: { kind: "status", code: 429 } });
    expect((await resize(api, 2)).headers["retry-after"]).toBeUndefined();
    faults.add({ on: writes, times: 1, effect: { kind: "status", code: 500, message: "etcd is gone" } });
    expect((await resize(api, 2)).body).toMatchObject({ reason: "InternalError", message: "etcd is gone" });
    expect(await sizeOf(api)).toBe(1);
  });

  it("names causes as a real refusal does", async () => {
    await using api = await withWidget();
    const causes = [{ reason: "FieldManagerConflict", message: 'conflict with "m"', field: ".spec.size" }];
    api.server.faults.add({ on: writes, times: 1, effect: { kind: "status", code: 409, causes } });
    expect((await resize(api, 2)).body).toMatchObject({ code: 409, reason: "Conflict", details: { causes } });
    api.server.faults.add({ on: writes, times: 1, effect: { kind: "status", code: 401 } });
    expect((await resize(api, 2)).body.reason).toBe("Unauthorized");
  });

  it("loses the answer after the write was carried out", async () => {
    await using api = await withWidget();
    api.server.faults.add({ on: writes, times: 1, effect: { kind: "reset", when: "after" } });
    await expect(resize(api, 2)).rejects.toThrow("ECONNRESET");
    expect(await sizeOf(api)).toBe(2);
    api.server.faults.add({ on: writes, times: 1, effect: { kind: "reset", when: "before" } });
    await expect(resize(api, 3)).rejects.toThrow("ECONNRESET");
    expect(await sizeOf(api)).toBe(2);
  });

  it("leaves the client without any answer", async () => {
    await using api = await withWidget();
    api.server.faults.add({ on: writes, times: 1, effect: { kind: "silence", when: "after" } });
    const unanswered = resize(api, 2);
    while ((await sizeOf(api)) !== 2);
    await api.server.stop();
    await expect(unanswered).rejects.toThrow();
  });

  it("spoils an answer", async () => {
    await using api = await withWidget();
    api.server.faults.add({ times: 1, effect: { kind: "garbage" } });
    const { code, text, body } = await api.call("GET", PATH);
    expect([code, text, body]).toEqual([200, "<html>502 Bad Gateway", undefined]);
  });

  it("makes the answer late", async () => {
    await using api = await withWidget();
    api.server.faults.add({ on: writes, times: 1, effect: { kind: "slow", ms: 300 } });
    const order: string[] = [];
    await Promise.all([
      resize(api, 2).then(() => order.push("slow")),
      api.call("GET", PATH).then(() => order.push("quick")),
    ]);
    expect(order).toEqual(["quick", "slow"]);
  });

  it("shows an earlier state to reads", async () => {
    await using api = await withWidget();
    await resize(api, 2);
    await api.call("POST", WIDGETS_PATH, { body: widget("b") });
    api.server.faults.add({ on: { verbs: ["get"] }, times: 1, effect: { kind: "stale", versions: 2 } });
    expect([await sizeOf(api), await sizeOf(api)]).toEqual([1, 2]);
    api.server.faults.add({ on: { verbs: ["list"] }, times: 1, effect: { kind: "stale", versions: 1 } });
    const before = (await api.call("GET", WIDGETS_PATH)).body;
    const now = (await api.call("GET", WIDGETS_PATH)).body;
    expect([before.items.length, now.items.length]).toEqual([1, 2]);
    expect(Number(now.metadata.resourceVersion) - Number(before.metadata.resourceVersion)).toBe(1);
  });

  it("lets another client change the object first", async () => {
    await using api = await withWidget();
    const { resourceVersion } = (await api.call("GET", PATH)).body.metadata;
    api.server.faults.add({ on: writes, times: 1, effect: { kind: "race", by: "touch" } });
    expect((await resize(api, 2, { resourceVersion })).body).toMatchObject({ code: 409, reason: "Conflict" });
    expect(await sizeOf(api)).toBe(1);
  });

  it("lets another client delete the object first", async () => {
    await using api = await withWidget();
    api.server.faults.add({ on: writes, times: 1, effect: { kind: "race", by: "delete" } });
    expect((await resize(api, 2)).code).toBe(404);
  });

  it("lets another client replace the object by another of its name", async () => {
    await using api = await withWidget();
    const { uid } = (await api.call("GET", PATH)).body.metadata;
    api.server.faults.add({ on: writes, times: 1, effect: { kind: "race", by: "recreate" } });
    expect((await resize(api, 2, { uid })).code).toBe(422);
    const other = (await api.call("GET", PATH)).body;
    expect([other.spec.size, other.metadata.uid === uid]).toEqual([1, false]);
  });
});
