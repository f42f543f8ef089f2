import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  ANN_LOOKS,
  FUNCTION,
  keyIn,
  NAME,
  OTHER,
  OWN,
  type Person,
  type PersonsWorld,
  startPersonsWorld,
  userOfPerson,
} from "../support/console-persons.ts";
import { tourOf } from "../support/console-tour.ts";
import { userOf } from "../support/deployed-accounts.ts";
import { eventually } from "../support/eventually.ts";
import { forgedToken } from "../support/forged-token.ts";
import { REAL } from "../support/processes/api-servers.ts";
import { readAuditLog } from "../support/processes/audit-log.ts";
import { kubectlMissing } from "../support/processes/kubectl.ts";
import { redisMissing } from "../support/processes/redis-server.ts";
import { commandsDuring } from "../support/redis-monitor.ts";
import { describeWith } from "../support/requires.ts";

const WITHIN = { withinMs: 60_000, stepMs: 50 };
const MINUTE_MS = 60_000;
/** Id of nothing. */
const NONE = "n0ne";
const LISTS = ["fleet", "queue", "letters", `queue/${FUNCTION}/keys?state=dead`, "relay", "jobs", "me"];

/** Every GET, about what is in one namespace. */
function pathsIn(routes: readonly string[], namespace: string): readonly string[] {
  const named = { kind: "MachinePool", namespace, name: NAME, function: FUNCTION, key: keyIn(namespace) };
  return tourOf(routes, { ...named, id: NONE });
}

describeWith(REAL.missing ?? redisMissing() ?? kubectlMissing(), REAL)("persons at the console", () => {
  const stack = new AsyncDisposableStack();
  let world: PersonsWorld;
  let routes: readonly string[];
  beforeAll(async () => {
    world = stack.use(await startPersonsWorld());
    routes = (await world.console.ask("vera", "/me")).body.routes;
  });
  afterAll(() => stack.disposeAsync());

  it("one who sees one namespace gets no name, sum, letter or message of another", async () => {
    const { console } = world;
    for (const path of pathsIn(routes, OWN)) {
      const { code, text } = await console.ask("ann", path);
      // The last minute and hour are counted over all namespaces.
      const expected = /\/(samples|durations)$/.test(path) ? 403 : path.includes(NONE) ? 404 : 200;
      expect([path, code]).toEqual([path, expected]);
      expect(text, path).not.toContain(OTHER);
    }
    const foreign = pathsIn(routes, OTHER).filter((path) => path.includes(OTHER));
    expect(foreign.length).toBeGreaterThan(4);
    for (const path of foreign) {
      const { code, text } = await console.ask("ann", path);
      expect([path, code]).toEqual([path, 403]);
      expect(text, path).not.toContain(OTHER);
    }
    for (const [person, dead] of [
      ["ann", 1],
      ["vera", 2],
    ] as const) {
      expect((await console.ask(person, "/fleet")).body.total, person).toBe(dead);
      expect((await console.ask(person, "/queue")).body.items, person).toMatchObject([{ dead }]);
      expect((await console.ask(person, "/letters")).body.items, person).toHaveLength(dead);
    }
    using page = await console.follow("ann", LISTS);
    await eventually(() => {
      const topics = page.messages.map((message) => ("topic" in message ? message.topic : undefined));
      expect(topics).toEqual(expect.arrayContaining(LISTS));
    }, WITHIN);
    expect(JSON.stringify(page.messages)).not.toContain(OTHER);
    expect(JSON.stringify(page.messages)).toContain(keyIn(OWN));
  });

  it("S-42: who may only look has no action and is refused each; who may act is named by log and history", async () => {
    const { console } = world;
    const own = `/letters/${FUNCTION}/${encodeURIComponent(keyIn(OWN))}`;
    const other = `/letters/${FUNCTION}/${encodeURIComponent(keyIn(OTHER))}`;
    const { head } = (await console.ask("vera", own)).body;
    const seen = { deadSince: head.deadSince, times: head.times };
    const posts = [
      [`${own}/requeue`, seen],
      [`${own}/drop`, seen],
      [`/queue/${FUNCTION}/pause`, { paused: false }],
      [`/queue/${FUNCTION}/resume`, { paused: true }],
      ["/trials", { function: FUNCTION }],
      [
        "/jobs",
        { action: "drop", function: FUNCTION, select: { keys: [{ key: keyIn(OWN), ...seen }] }, count: 1 },
      ],
    ] as const;
    for (const person of ["ann", "vera"] as const) {
      const { may } = (await console.ask(person, "/me")).body;
      expect(may, person).toEqual({ requeue: [], drop: [], pause: false, try: [] });
      for (const [path, body] of posts) {
        const { code } = await console.post(person, path, body);
        expect([person, path, code]).toEqual([person, path, 403]);
      }
    }
    expect((await console.post("ann", `${other}/drop`, seen)).code).toBe(403);
    expect((await console.ask("vera", "/letters")).body.items).toHaveLength(2);

    expect((await console.ask("olga", "/me")).body.may).toEqual({
      requeue: "all",
      drop: "all",
      pause: true,
      try: "all",
    });
    for (const [path, body] of [posts[2], posts[3], posts[0]] as const) {
      const { code, body: done } = await console.post("olga", path, body);
      expect([path, code, done.by]).toEqual([path, 200, userOfPerson("olga")]);
    }
    const user = userOfPerson("olga");
    expect(world.lines).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ fields: { user, function: FUNCTION }, message: "function paused" }),
        expect.objectContaining({
          fields: { user, function: FUNCTION, keys: [keyIn(OWN)] },
          message: "dead letters requeued",
        }),
      ]),
    );
    await eventually(async () => {
      const { text } = await console.ask("ann", `/objects/MachinePool/${OWN}/${NAME}/runs`);
      expect(text).toContain(`requeue by ${user}`);
    }, WITHIN);
  });

  it("a right that is withdrawn ends an open stream within 60 s", async () => {
    const { console, kubectl, clock } = world;
    using page = await console.follow("ann", ["fleet"]);
    await eventually(() => expect(page.messages).not.toEqual([]), WITHIN);
    await kubectl(`delete rolebinding ann --namespace ${OWN}`);
    const asked = `auth can-i list clusters.cluster.x-k8s.io --namespace ${OWN} --as=${userOfPerson("ann")}`;
    await eventually(async () => expect((await kubectl.try(asked)).ok).toBe(false), WITHIN);
    clock.jump(MINUTE_MS);
    await eventually(() => expect(page.state.ended).toBe(true), WITHIN);
    expect(page.messages.at(-1)).toMatchObject({ type: "end", error: { reason: "Forbidden" } });
    expect((await console.ask("ann", "/fleet")).code).toBe(403);
    await kubectl("create -f -", ANN_LOOKS);
    await eventually(async () => {
      clock.jump(MINUTE_MS);
      expect((await console.ask("ann", "/fleet")).code).toBe(200);
    }, WITHIN);
  });

  it("forged, expired and revoked tokens are refused, and all while the API server is away", async () => {
    const { console, kubectl, clock, proxy, server } = world;
    const token = world.tokenOf("vera");
    const own = createPrivateKey(await readFile(join(dirname(server.kubeconfigFile), "sa.key"), "utf8"));
    const foreign = generateKeyPairSync("rsa", { modulusLength: 2_048 }).privateKey;
    const now = Math.floor(Date.now() / 1_000);
    for (const [wrong, expected] of [
      ["nonsense", 401],
      [forgedToken(token, foreign, now + 3_000), 401],
      [forgedToken(token, own, now - 3_000), 401],
      [forgedToken(token, own, now + 3_000), 200],
    ] as const) {
      expect((await console.ask({ token: wrong }, "/fleet")).code, wrong).toBe(expected);
    }
    expect((await console.ask("stranger", "/fleet")).code).toBe(403);
    expect((await console.ask("leaver", "/fleet")).code).not.toBe(403);
    await kubectl("delete serviceaccount leaver --namespace people --ignore-not-found");
    await eventually(async () => {
      clock.jump(MINUTE_MS);
      expect((await console.ask("leaver", "/fleet")).code).toBe(401);
    }, WITHIN);

    using page = await console.follow("vera", ["fleet"]);
    await proxy.cut("refused");
    clock.jump(MINUTE_MS);
    await eventually(() => expect(page.state.ended).toBe(true), WITHIN);
    expect(page.messages.at(-1)).toMatchObject({ type: "end", error: { reason: "Unavailable" } });
    expect(await console.ask("vera", "/fleet")).toMatchObject({
      code: 503,
      body: { message: expect.stringContaining("has not confirmed the rights of the viewer") },
    });
    await proxy.mend();
    await eventually(async () => expect((await console.ask("vera", "/fleet")).code).toBe(200), WITHIN);
    const text = JSON.stringify(world.lines);
    expect(text).not.toContain(token);
  });

  it("the account asks the API server for reviews, and who opens an object reads it and its Events once", async () => {
    const path = `/objects/MachinePool/${OTHER}/${NAME}/live`;
    const readsOf = async (person: Person) => {
      const all = await readAuditLog(world.server.auditLog);
      const own = all.filter(({ user }) => user === userOfPerson(person));
      return own.map(({ verb, resource, name, code }) => `${verb} ${resource} ${name ?? ""} ${code}`);
    };
    const before = await readsOf("vera");
    const { code, body } = await world.console.ask("vera", path);
    expect([code, body.managers[0]?.manager]).toEqual([200, "kubectl-create"]);
    const readOne = [...before, `get machinepools ${NAME} 200`, "list events  403"];
    await eventually(async () => expect(await readsOf("vera")).toEqual(readOne), WITHIN);
    expect(await world.console.ask("olga", path)).toMatchObject({ code: 403, body: { reason: "Forbidden" } });
    const refused = `get machinepools ${NAME} 403`;
    await eventually(async () => expect(new Set(await readsOf("olga"))).toEqual(new Set([refused])), WITHIN);

    const requests = await readAuditLog(world.server.auditLog);
    const deeds = requests
      .filter(({ user }) => user === userOf("capstan-console"))
      .map(({ verb, resource, name, code }) => `${verb} ${resource} ${name ?? ""} ${code}`);
    expect(new Set(deeds)).toEqual(
      new Set([
        "get namespaces kube-system 200",
        "create tokenreviews  201",
        "create subjectaccessreviews  201",
      ]),
    );
    expect(deeds.filter((deed) => deed.startsWith("get "))).toHaveLength(1);
    const persons = requests.filter(({ user = "" }) => user.startsWith(userOfPerson("")));
    const looking = ["get machinepools", "list events"];
    expect(persons.filter(({ verb, resource }) => !looking.includes(`${verb} ${resource}`))).toEqual([]);
  });

  it("S-24: a tour of every page and a stream writes nothing into Redis, by its MONITOR", async () => {
    // Whatever comes now comes from the console.
    await world.up[Symbol.asyncDispose]();
    const admin = new Redis(world.redis.url);
    using stack = new DisposableStack();
    stack.defer(() => admin.disconnect());
    await world.console[Symbol.asyncDispose]();
    const seen = await commandsDuring(admin, async () => {
      await using console = await world.serve("observer", { actions: false });
      const { routes: reading } = (await console.ask("vera", "/me")).body;
      // A trial replays letters offline.
      expect(reading.filter((route: string) => /^POST (?!\/trials)/.test(route))).toEqual([]);
      for (const path of pathsIn(reading, OTHER)) {
        const { code } = await console.ask("vera", path);
        expect([path, code]).toEqual([path, path.includes(NONE) ? 404 : 200]);
      }
      const topics = LISTS.filter((topic) => topic !== "jobs");
      using page = await console.follow("vera", topics);
      await eventually(() => expect(page.messages.length >= topics.length).toBe(true), WITHIN);
    });
    expect(seen.commands).toEqual(expect.arrayContaining(["hmget", "hscan", "subscribe"]));
    expect(seen.writes).toEqual([]);
    expect(await admin.acl("LOG")).toEqual([]);
  });
});
