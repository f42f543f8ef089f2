import { describe, expect, it } from "vitest";
import { trialSchema, triedLettersSchema } from "../../../../infra/console/api/actions.ts";
import { letterGroupsSchema } from "../../../../infra/console/api/letters.ts";
import type { ApartResult } from "../../../../infra/operate/replay/replay-apart.ts";
import type { Reviewer } from "../../../../infra/worker/diagnostics/reviews.ts";
import type { DeadLetter } from "../../../../shared/runtime/letters/dead-letter.ts";
import { allowingIn, GROW, keyOf, serveQueueConsole } from "../../../support/console-queue.ts";
import { eventually } from "../../../support/eventually.ts";

const WITHIN = { withinMs: 10_000, stepMs: 10 };
const KEYS = Array.from({ length: 12 }, (_, at) => keyOf("a", `w${at}`));
type World = Awaited<ReturnType<typeof serveQueueConsole>>;

/** Two of them fail as before. */
async function replay({ key }: DeadLetter): Promise<ApartResult> {
  const then = { result: "threw Error: it is broken", ok: false, requests: [], digest: "1" };
  return key.endsWith("w3") || key.endsWith("w7")
    ? { type: "reproduced", recorded: then, replayed: then }
    : {
        type: "different",
        recorded: then,
        replayed: { result: "done", ok: true, requests: [], digest: "2" },
      };
}

async function ended(world: World, id: unknown) {
  return eventually(async () => {
    const trial = trialSchema.parse((await world.get(`/trials/${id}`)).body);
    expect(trial.state).not.toBe("running");
    return trial;
  }, WITHIN);
}

describe("trials of the console", () => {
  it("say how many letters of a group would succeed, and requeue these", async () => {
    await using world = await serveQueueConsole({ dead: KEYS, replay });
    const groups = letterGroupsSchema.parse((await world.get("/letter-groups")).body);
    const group = groups.items[0]?.id ?? "";
    const begun = await world.press("/trials", { function: GROW, group });
    expect(begun).toMatchObject({ status: 200, body: { state: "running", total: 12, by: "ann", group } });
    const trial = await ended(world, begun.body["id"]);
    expect(trial).toMatchObject({
      state: "done",
      tried: 12,
      verdicts: { succeeds: 10, "fails-as-before": 2, differs: 0, unknown: 0 },
    });
    const failing = await world.get(`/trials/${trial.id}/letters?verdict=fails-as-before`);
    expect(
      triedLettersSchema
        .parse(failing.body)
        .items.map(({ key }) => key)
        .toSorted(),
    ).toEqual([keyOf("a", "w3"), keyOf("a", "w7")]);
    const page = triedLettersSchema.parse((await world.get(`/trials/${trial.id}/letters?limit=7`)).body);
    const rest = triedLettersSchema.parse(
      (await world.get(`/trials/${trial.id}/letters?limit=7&next=${page.next}`)).body,
    );
    expect(new Set([...page.items, ...rest.items].map(({ key }) => key))).toEqual(new Set(KEYS));
    const select = { trial: trial.id, verdict: "succeeds" };
    const wanted = { action: "requeue", function: GROW, select, count: 10 };
    expect(await world.press("/jobs", { ...wanted, count: 11 })).toMatchObject({
      status: 412,
      body: { current: { count: 10 } },
    });
    const job = await world.press("/jobs", wanted);
    expect(job).toMatchObject({ status: 200, body: { total: 10, of: { trial: trial.id } } });
    await eventually(async () => {
      expect((await world.get(`/jobs/${job.body["id"]}`)).body).toMatchObject({ state: "done", done: 10 });
    }, WITHIN);
    expect((await world.queue.peek(GROW)).dead).toBe(2);
    expect((await world.get("/trials")).body).toMatchObject({ items: [{ id: trial.id }] });
  });

  it("stop when asked, keep what they have found, and are at most two at once", async () => {
    const never = Promise.withResolvers<never>();
    const slow = async (letter: DeadLetter) => (letter.key.endsWith("w0") ? replay(letter) : never.promise);
    await using world = await serveQueueConsole({ dead: KEYS, replay: slow });
    const { body } = await world.press("/trials", { function: GROW });
    await world.press("/trials", { function: GROW });
    expect(await world.press("/trials", { function: GROW })).toMatchObject({ status: 429 });
    await eventually(async () => {
      expect((await world.get(`/trials/${body["id"]}`)).body).toMatchObject({ tried: 1 });
    }, WITHIN);
    const stopped = await world.press(`/trials/${body["id"]}/stop`);
    expect(stopped).toMatchObject({ status: 200, body: { state: "stopped", tried: 1 } });
    expect(await world.press("/trials", { function: GROW })).toMatchObject({ status: 200 });
  });

  it("try only what the person sees, also without --actions, and show it to no one else", async () => {
    const dead = [keyOf("a", "w1"), keyOf("b", "secret-name")];
    await using world = await serveQueueConsole({ dead, replay, actions: false, reviewer: allowingIn("a") });
    const { status, body, text } = await world.press("/trials", { function: GROW });
    expect([status, body["total"]]).toEqual([200, 1]);
    expect(text).not.toContain("secret-name");
    expect((await world.get(`/trials/${body["id"]}/letters`)).text).not.toContain("secret-name");
  });

  it("S-42: are begun and stopped only by those who may requeue the letters, also without --actions", async () => {
    const looking: Reviewer = {
      review: async (_, spec) => {
        const { resource } = (spec as { resourceAttributes: { resource: string } }).resourceAttributes;
        return { status: { allowed: resource === "clusters" || isOperator } };
      },
    };
    let isOperator = true;
    const never = async () => Promise.withResolvers<never>().promise;
    const options = { dead: KEYS, replay: never, actions: false, reviewer: looking };
    await using world = await serveQueueConsole(options);
    expect((await world.get("/me")).body["may"]).toMatchObject({ requeue: [], try: "all" });
    const { body } = await world.press("/trials", { function: GROW });
    isOperator = false;
    // Rights are asked again once they are a minute old.
    await world.clock.advance(61_000);
    expect((await world.get("/me")).body["may"]).toMatchObject({ try: [] });
    for (const path of ["/trials", `/trials/${body["id"]}/stop`]) {
      const sent = path === "/trials" ? { function: GROW } : {};
      const refused = await world.press(path, sent);
      expect(refused).toMatchObject({ status: 403, body: { reason: "Forbidden" } });
      expect(refused.body["message"]).toContain("may not try dead letters in namespace a");
    }
    expect((await world.get(`/trials/${body["id"]}`)).body).toMatchObject({ state: "running" });
  });

  it("refuse functions, groups and trials that are not there", async () => {
    await using world = await serveQueueConsole({ dead: KEYS });
    expect(await world.press("/trials", { function: "nothing" })).toMatchObject({ status: 404 });
    expect(await world.press("/trials", { function: GROW, group: "gone" })).toMatchObject({ status: 404 });
    expect(await world.press("/trials", {})).toMatchObject({ status: 400, body: { field: "function" } });
    expect(await world.get("/trials/gone")).toMatchObject({ status: 404 });
    expect(await world.get("/trials/gone/letters?next=foreign")).toMatchObject({ status: 404 });
    const { body } = await world.press("/trials", { function: GROW });
    expect(await world.get(`/trials/${body["id"]}/letters?next=foreign`)).toMatchObject({ status: 400 });
    const select = { trial: "gone", verdict: "succeeds" };
    const wanted = { action: "drop", function: GROW, select, count: 1 };
    expect(await world.press("/jobs", wanted)).toMatchObject({ status: 404 });
  });
});
