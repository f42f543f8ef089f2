import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { APPLY, clientFor, startTestServer, WIDGETS_PATH, widget } from "../api-client.ts";

/** Returns the answer to lines that are sent as they are. */
async function answerTo(port: number, lines: readonly string[]): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.end(`${lines.join("\r\n")}\r\n\r\n`);
  return text(socket);
}

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

describe("the listener", () => {
  it("refuses requests without the token", async () => {
    await using api = await startTestServer({ withWidgets: false });
    const { url, token } = api.server;
    expect((await clientFor(url, "wrong").call("GET", "/api/v1/namespaces")).code).toBe(401);
    expect((await clientFor(url, "wrong").call("GET", "/readyz")).text).toBe("ok");
    expect((await clientFor(`${url}/as/${token}`, "").call("GET", "/api/v1/namespaces")).code).toBe(200);
    expect((await clientFor(`${url}/as/wrong`, "").call("GET", "/api/v1/namespaces")).code).toBe(401);
  });

  it("B12: takes a token only behind its scheme, and one Host header only", async () => {
    await using api = await startTestServer({ withWidgets: false });
    const { port, token } = api.server;
    const codeFor = async (authorization: string) =>
      (await api.call("GET", "/api", { headers: { authorization } })).code;
    for (const good of [`Bearer ${token}`, `bearer ${token}`, ` Bearer ${token} `]) {
      expect(await codeFor(good)).toBe(200);
    }
    for (const bad of [token, `Basic ${token}`, `Bearer${token}`, `Token ${token}`, "Bearer", ""]) {
      expect([bad, await codeFor(bad)]).toEqual([bad, 401]);
    }
    const lines = ["GET /api HTTP/1.1", `Host: 127.0.0.1:${port}`, "Host: evil.example"];
    expect(await answerTo(port, [...lines, `Authorization: Bearer ${token}`])).toMatch(
      /^HTTP\/1.1 400 Bad Request\r\n/,
    );
  });

  it.each(["%", "a%zz", "/a%zz", "/api/v1/%", "a", ":a"])(
    "answers GET %s as the real server: 400, and who asked is not looked at",
    async (path) => {
      await using api = await startTestServer({ withWidgets: false });
      const { port } = api.server;
      const answer = await answerTo(port, [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`]);
      expect(answer).toMatch(/^HTTP\/1.1 400 Bad Request\r\nContent-Type: text\/plain; charset=utf-8\r\n/);
      expect(answer).toContain("\r\n400 Bad Request");
    },
  );

  it("refuses what a browser could be made to send", async () => {
    await using api = await startTestServer({ withWidgets: false });
    expect((await api.call("GET", "/api", { headers: { origin: "http://evil.example" } })).code).toBe(403);
    expect((await api.call("GET", "/api", { headers: { host: "evil.example" } })).code).toBe(403);
    expect((await api.call("GET", "/api", { headers: { host: `localhost:${api.server.port}` } })).code).toBe(
      200,
    );
  });

  it("refuses bodies above 3 MiB, packed ones as well", async () => {
    await using api = await startTestServer({ withWidgets: false });
    const body = JSON.stringify({ metadata: { name: "c" }, data: { big: "x".repeat(3_200_000) } });
    const plain = await api.call("POST", CONFIG_MAPS, { body });
    const packed = await api.call("POST", CONFIG_MAPS, {
      body: gzipSync(body),
      headers: { "content-encoding": "gzip" },
    });
    for (const reply of [plain, packed]) {
      expect([reply.code, reply.body.message]).toEqual([413, "Request entity too large: limit is 3145728"]);
    }
  });

  it("reads packed bodies and packs large answers", async () => {
    await using api = await startTestServer({ withWidgets: false });
    const body = gzipSync(JSON.stringify({ metadata: { name: "c" }, data: { big: "x".repeat(200_000) } }));
    expect(
      (await api.call("POST", CONFIG_MAPS, { body, headers: { "content-encoding": "gzip" } })).code,
    ).toBe(201);
    const answer = await fetch(`${api.server.url}${CONFIG_MAPS}/c`, {
      headers: { authorization: `Bearer ${api.server.token}`, "accept-encoding": "gzip" },
    });
    expect(answer.headers.get("content-encoding")).toBe("gzip");
    expect(((await answer.json()) as { data: { big: string } }).data.big).toHaveLength(200_000);
  });

  it("reads and writes YAML", async () => {
    await using api = await startTestServer();
    const yaml = "apiVersion: test.capstan.dev/v1\nkind: Widget\nmetadata:\n  name: a\nspec:\n  size: 3\n";
    const made = await api.call("POST", WIDGETS_PATH, { body: yaml, type: "application/yaml" });
    expect([made.code, made.body.spec.size]).toEqual([201, 3]);
    const applied = await api.call("PATCH", `${WIDGETS_PATH}/a?fieldManager=m&force=true`, {
      body: yaml.replace("3", "4"),
      type: APPLY,
    });
    expect(applied.body.spec.size).toBe(4);
    const shown = await api.call("GET", `${WIDGETS_PATH}/a`, { accept: "application/yaml" });
    expect([shown.headers["content-type"], shown.text]).toEqual([
      "application/yaml",
      expect.stringContaining("size: 4"),
    ]);
  });

  it.each([
    [
      "aliases that double",
      [...Array(40).keys()].map((n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]`).join("\n"),
    ],
    ["a list that holds itself", "a: &a [*a]"],
    ["256 KiB of keys", "0x:\n".repeat(65_000)],
    ["256 KiB of question marks", "? ".repeat(130_000)],
    ["a list that does not end", "a: ["],
  ])("refuses YAML with %s (400)", async (_what, yaml) => {
    await using api = await startTestServer();
    const answer = await api.call("POST", WIDGETS_PATH, {
      body: `a0: &a0 x\n${yaml}`,
      type: "application/yaml",
    });
    expect([answer.code, answer.body.reason]).toEqual([400, "BadRequest"]);
    expect(answer.body.message).toMatch(/^error decoding YAML: /);
  });

  it("names the line of a field given twice in YAML", async () => {
    await using api = await startTestServer();
    const body =
      "apiVersion: test.capstan.dev/v1\nkind: Widget\nmetadata: {name: a}\nspec:\n  size: 3\n  size: 4\n";
    const path = `${WIDGETS_PATH}?fieldValidation=Strict`;
    const answer = await api.call("POST", path, { body, type: "application/yaml" });
    expect([answer.code, answer.body.message]).toEqual([
      400,
      expect.stringContaining('line 6: key "size" already set in map'),
    ]);
  });

  it("says which types it takes and gives", async () => {
    await using api = await startTestServer();
    const give = await api.call("GET", WIDGETS_PATH, { accept: "text/html" });
    expect([give.code, give.body.message]).toEqual([
      406,
      "only the following media types are accepted: application/json, application/yaml",
    ]);
    const take = await api.call("POST", WIDGETS_PATH, { body: widget("a"), type: "text/plain" });
    expect([take.code, take.body.reason]).toEqual([415, "UnsupportedMediaType"]);
    expect((await api.call("GET", WIDGETS_PATH, { accept: "text/html,application/json" })).code).toBe(200);
  });

  it("answers 400 to bodies that are not objects", async () => {
    await using api = await startTestServer();
    for (const body of ["", "{", "[]", "null", '"x"', '{"metadata":[]}']) {
      expect((await api.call("POST", WIDGETS_PATH, { body })).code).toBe(400);
    }
  });

  it("gives every answer a number of its own and lets no client cache it", async () => {
    await using api = await startTestServer();
    const answers = [await api.call("GET", WIDGETS_PATH), await api.call("GET", `${WIDGETS_PATH}/zz`)];
    expect(new Set(answers.map(({ headers }) => headers["audit-id"])).size).toBe(2);
    for (const { headers } of answers) expect(headers["cache-control"]).toBe("no-cache, private");
  });

  it("keeps a log of requests for tests", async () => {
    await using api = await startTestServer({ recordRequests: true });
    await api.call("POST", WIDGETS_PATH, { body: widget("a") });
    await api.call("GET", `${WIDGETS_PATH}/zz`);
    expect(api.server.requests.slice(-2)).toMatchObject([
      { verb: "create", resource: "widgets", namespace: "default", userAgent: "tester/1.0", code: 201 },
      { verb: "get", resource: "widgets", name: "zz", code: 404 },
    ]);
  });
});
