import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { withFirstRequest } from "../../../infra/console/console.ts";
import type { Reviewer } from "../../../infra/worker/diagnostics/reviews.ts";
import { PRESSED, serveTestConsole } from "../../support/console.ts";
import { recordingLog } from "../../support/recording-log.ts";
import { testFolder } from "../../support/test-folder.ts";
import { askAt } from "../../support/tls-client.ts";
import { newAuthority, type TestAuthority } from "../../support/tls-files.ts";

describe("a console on loopback", () => {
  it("lets in by the code of its link alone, and shows nothing without a session", async () => {
    await using world = await serveTestConsole();
    expect(world.directLink).toBeUndefined();
    expect(world.link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#code=[0-9a-f]{32}$/);
    for (const headers of [
      {},
      { "capstan-session": "" },
      { "capstan-session": "a".repeat(64) },
      { cookie: "a=b" },
    ]) {
      const refused = await world.ask("/api/v1/me", { headers });
      expect(refused).toMatchObject({ status: 401, body: { reason: "Unauthorized", signIn: "link" } });
      expect(String(refused.body["next"])).toContain("the link that the terminal");
    }
    const me = await world.ask("/api/v1/me", { headers: await world.logIn() });
    expect(me).toMatchObject({
      status: 200,
      body: { user: "ann", by: "code", sees: "all", version: "1.2.3" },
    });
  });

  it("takes no bearer token, and ends 10 wrong codes a minute, also before the right one", async () => {
    await using world = await serveTestConsole();
    const code = world.link.split("code=")[1] ?? "";
    const guess = (text: string) =>
      world.ask("/api/v1/session", {
        method: "POST",
        headers: PRESSED,
        body: JSON.stringify({ code: text }),
      });
    expect(await world.ask("/api/v1/me", { headers: { authorization: `Bearer ${code}` } })).toMatchObject({
      status: 401,
    });
    for (let count = 0; count < 10; count += 1)
      expect(await guess(`${count}`)).toMatchObject({ status: 401 });
    expect(await guess(code)).toMatchObject({ status: 429, body: { reason: "TooManyTries" } });
    await world.clock.advance(60_000);
    expect(await guess(code)).toMatchObject({ status: 200 });
    expect(JSON.stringify(world.lines)).not.toContain(code);
  });

  it("takes a POST only as JSON with the headers of its own page, and sets no cookie", async () => {
    await using world = await serveTestConsole();
    const body = JSON.stringify({ code: world.link.split("code=")[1] });
    const post = (headers: { readonly [name: string]: string }) =>
      world.ask("/api/v1/session", { method: "POST", headers, body });
    const { "capstan-action": _, ...withoutAction } = PRESSED;
    expect(await post({ ...PRESSED, "content-type": "text/plain" })).toMatchObject({ status: 415 });
    expect(await post({ ...PRESSED, "content-type": "application/x-www-form-urlencoded" })).toMatchObject({
      status: 415,
    });
    expect(await post(withoutAction)).toMatchObject({ status: 403 });
    for (const from of ["cross-site", "same-site", "none"]) {
      expect(await post({ ...PRESSED, "sec-fetch-site": from }), from).toMatchObject({ status: 403 });
    }
    const opened = await post(PRESSED);
    expect(opened).toMatchObject({ status: 200 });
    expect(opened.headers["set-cookie"]).toBeUndefined();
  });

  it("refuses each foreign Host, Origin and Sec-Fetch-Site before it looks at a session", async () => {
    await using world = await serveTestConsole({ hostNames: ["console.example.com"] });
    const session = await world.logIn();
    const ask = (headers: { readonly [name: string]: string }) =>
      world.ask("/api/v1/me", { headers: { ...session, ...headers } });
    for (const host of [
      "evil.example.com",
      `evil.example.com:${world.port}`,
      "127.0.0.1",
      "127.0.0.1:1",
      "localhost.",
    ]) {
      expect(await ask({ host }), host).toMatchObject({ status: 403, body: { reason: "ForeignHost" } });
    }
    for (const host of [`localhost:${world.port}`, `LOCALHOST:${world.port}`, "console.example.com"]) {
      expect(await ask({ host }), host).toMatchObject({ status: 200 });
    }
    for (const origin of ["null", "http://evil.example.com", "http://127.0.0.1:1", "http://127.0.0.1"]) {
      expect(await ask({ origin }), origin).toMatchObject({ status: 403, body: { reason: "ForeignPage" } });
    }
    expect(await ask({ origin: `http://127.0.0.1:${world.port}` })).toMatchObject({ status: 200 });
    expect(await ask({ origin: "https://console.example.com" })).toMatchObject({ status: 200 });
    for (const from of ["cross-site", "same-site"]) {
      const link = { "sec-fetch-site": from, "sec-fetch-mode": "navigate" };
      expect(await ask(link), from).toMatchObject({ status: 403 });
    }
  });

  it("sends its policy with every answer, also with refusals, and allows no other origin to read", async () => {
    const shell = async (path: string) =>
      path === "/fleet"
        ? { body: Buffer.from("<!doctype html>"), contentType: "text/html; charset=utf-8" }
        : undefined;
    await using world = await serveTestConsole({ page: shell });
    const session = await world.logIn();
    const link = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
    const answers = [
      await world.ask("/fleet", { headers: link }),
      await world.ask("/api/v1/me", { headers: session }),
      await world.ask("/api/v1/me"),
      await world.ask("/nothing.js"),
      await world.ask("/api/v1/me", { headers: { host: "evil.example.com" } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 401, 404, 403]);
    for (const { headers } of answers) {
      expect(headers["content-security-policy"]).toContain("default-src 'none'; script-src 'self';");
      expect(headers["content-security-policy"]).toContain(
        "require-trusted-types-for 'script'; trusted-types 'none'",
      );
      expect(headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
      });
      expect(headers["access-control-allow-origin"]).toBeUndefined();
    }
  });

  it("names the field and the next step of bad input, and never answers 500", async () => {
    await using world = await serveTestConsole();
    const headers = await world.logIn();
    const ask = (path: string) => world.ask(path, { headers });
    for (const [path, status] of [
      ["/api/v1/me?limit=1e9", 400],
      [`/api/v1/me?q=${"x".repeat(10_000)}`, 400],
      ["/api/v1/%", 400],
      ["/api/v1/%ff", 400],
      ["/api/v1//me", 400],
      ["/api/v1/me/", 400],
      [`/api/v1/${"a".repeat(481)}`, 400],
      ["/api/v1/__proto__", 404],
      ["/api/v1/constructor/x", 404],
      ["/api/v1/me%00", 404],
      ["/api/v1", 404],
      ["/api/v2/me", 404],
      ["/API/v1/me", 404],
    ] as const) {
      const { status: got, body } = await ask(path);
      expect([path, got]).toEqual([path, status]);
      expect(body["message"], path).not.toBe("");
      expect(body["next"], path).not.toBe("");
    }
    expect(await world.ask("/api/v1/me", { method: "PUT", headers })).toMatchObject({ status: 405 });
    expect(
      await world.ask("/api/v1/me", { method: "POST", headers: { ...headers, ...PRESSED }, body: "{}" }),
    ).toMatchObject({
      status: 405,
    });
    for (const [body, status] of [
      ["{", 400],
      ["", 400],
      ['{"code":1}', 400],
      ['{"other":"x"}', 400],
      [`{"code":"${"x".repeat(65)}"}`, 400],
      [`{"code":"${"x".repeat(300_000)}"}`, 413],
    ] as const) {
      const answer = await world.ask("/api/v1/session", { method: "POST", headers: PRESSED, body });
      expect(answer.status, body.slice(0, 40)).toBe(status);
    }
  });

  it("answers a body without a length that becomes too large", async () => {
    await using world = await serveTestConsole();
    const { port } = world;
    const sent = request({
      host: "127.0.0.1",
      port,
      path: "/api/v1/session",
      method: "POST",
      headers: PRESSED,
    });
    sent.on("error", () => undefined);
    sent.write("x".repeat(20_000));
    const [answer] = await once(sent, "response");
    expect([answer.statusCode, answer.headers.connection]).toEqual([413, "close"]);
    sent.destroy();
  });

  it("answers 304 while the data are the same, whatever the time", async () => {
    await using world = await serveTestConsole();
    const headers = await world.logIn();
    const { headers: first } = await world.ask("/api/v1/me", { headers });
    await world.clock.advance(5_000);
    const again = await world.ask("/api/v1/me", {
      headers: { ...headers, "if-none-match": String(first["etag"]) },
    });
    expect(again).toMatchObject({ status: 304, text: "" });
  });

  it("ends a session after an hour of rest and after 10 hours of use", async () => {
    await using world = await serveTestConsole();
    const [resting, used] = [await world.logIn(), await world.logIn()];
    const stateOf = async (headers: { readonly [name: string]: string }) =>
      (await world.ask("/api/v1/me", { headers })).status;
    for (let halfHours = 0; halfHours < 19; halfHours += 1) {
      await world.clock.advance(30 * 60_000);
      expect(await stateOf(used)).toBe(200);
    }
    expect(await stateOf(resting)).toBe(401);
    await world.clock.advance(30 * 60_000);
    expect(await stateOf(used)).toBe(401);
  });

  it("has the routes whose data are there, and describes them", async () => {
    await using world = await serveTestConsole();
    const headers = await world.logIn();
    expect((await world.ask("/api/v1/me", { headers })).body["routes"]).toEqual(["GET /me"]);
    expect(await world.ask("/api/v1/relay", { headers })).toMatchObject({ status: 404 });
    const { body } = await world.ask("/api/v1/openapi.json", { headers });
    expect(Object.keys(Object(body["paths"]))).toEqual(["/session", "/stream", "/me"]);
    expect(await world.ask("/api/v1/openapi.json")).toMatchObject({ status: 401 });
  });
});

interface Asked {
  readonly token?: string;
  readonly user?: string;
  readonly resourceAttributes?: { readonly verb: string; readonly namespace?: string };
}

/** Knows the tokens `of-NAME`. The user `admin` may list Clusters anywhere, `a` in namespace a, others nowhere. */
const REVIEWER: Reviewer = {
  review: async ({ kind }, spec) => {
    const { token = "", user, resourceAttributes } = spec as Asked;
    const [, username] = /^of-(.*)$/.exec(token) ?? [];
    if (kind === "TokenReview")
      return { status: username === undefined ? {} : { authenticated: true, user: { username } } };
    const allowed = user === "admin" || (user !== undefined && resourceAttributes?.namespace === user);
    return { status: { allowed: allowed && resourceAttributes?.verb === "list" } };
  },
};

describe("a console beyond loopback", () => {
  let authority: TestAuthority;
  let dir: string;
  beforeAll(async () => {
    authority = await newAuthority();
    dir = testFolder("console");
    const { cert, key } = await authority.issue("server");
    await writeFile(join(dir, "tls.crt"), cert);
    await writeFile(join(dir, "tls.key"), key);
  });

  const serve = async (reviewer: Reviewer = REVIEWER) => {
    const world = await serveTestConsole({
      address: { host: undefined, port: 0 },
      hostNames: ["console.example.com"],
      namespaces: async () => ["a", "b"],
      certDir: dir,
      reviewer,
    });
    const secure = askAt(world.port, authority.cert);
    const host = "console.example.com";
    const ask = (headers: { readonly [name: string]: string } = {}, path = "/api/v1/me") =>
      secure({ path, headers: { host, ...headers } });
    return { ...world, ask };
  };

  it("does not start without the name that browsers open", async () => {
    const address = { host: undefined, port: 0 };
    await expect(serveTestConsole({ address })).rejects.toThrow("add --host-name NAME");
  });

  it("shows each person the namespaces in which the API server lets that person list Clusters", async () => {
    await using world = await serve();
    expect(world.link).toBe("https://console.example.com/");
    expect(world.directLink).toBe(`https://console.example.com:${world.port}/`);
    const asked = async (token: string) => {
      const { code, text } = await world.ask({ authorization: `Bearer ${token}` });
      return { code, body: JSON.parse(text) };
    };
    expect(await asked("of-admin")).toMatchObject({
      code: 200,
      body: { user: "admin", by: "token", sees: "all" },
    });
    expect(await asked("of-a")).toMatchObject({ code: 200, body: { user: "a", sees: ["a"] } });
    expect(await asked("of-stranger")).toMatchObject({ code: 403, body: { reason: "Forbidden" } });
    const refusal = { reason: "Unauthorized", signIn: "token" };
    expect(await asked("made-up")).toMatchObject({ code: 401, body: refusal });
    const none = await world.ask();
    expect(none).toMatchObject({ code: 401, headers: { "www-authenticate": "Bearer" } });
    expect(JSON.parse(none.text)).toMatchObject(refusal);
    expect(JSON.stringify(world.lines)).not.toContain("of-admin");
  });

  it("refuses each person within a minute after the API server is away or the right is withdrawn", async () => {
    let state: "there" | "away" | "withdrawn" = "there";
    await using world = await serve({
      review: async (kind, spec) => {
        if (state === "away") throw new Error("create tokenreviews: connection refused");
        if (state === "withdrawn" && kind.kind !== "TokenReview") return { status: { allowed: false } };
        return REVIEWER.review(kind, spec);
      },
    });
    const ask = async () => (await world.ask({ authorization: "Bearer of-a" })).code;
    expect(await ask()).toBe(200);
    state = "away";
    await world.clock.advance(60_000);
    expect(await ask()).toBe(503);
    state = "there";
    expect(await ask()).toBe(200);
    state = "withdrawn";
    await world.clock.advance(60_000);
    expect(await ask()).toBe(403);
  });
});

describe("a server that opens its data with the first request", () => {
  it("opens them once, gives 503 and tries again when that failed, and closes them", async () => {
    const { log, lines } = recordingLog();
    const seen: string[] = [];
    const answering = withFirstRequest(async (opened) => {
      seen.push("opens");
      opened.defer(() => void seen.push("closes"));
      if (seen.length === 1) throw new Error("the API server is away");
      return (_, response) => void response.end("data");
    }, log);
    await using server = createServer(answering.listener);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    expect(seen).toEqual([]);
    const ask = async () => {
      const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      return `${answer.status} ${await answer.text()}`;
    };
    expect(await ask()).toBe("503 ");
    expect(lines).toMatchObject([{ fields: { error: "the API server is away" } }]);
    expect(await Promise.all([ask(), ask()])).toEqual(["200 data", "200 data"]);
    expect(seen).toEqual(["opens", "closes", "opens"]);
    await answering[Symbol.asyncDispose]();
    expect(seen.at(-1)).toBe("closes");
  });
});
