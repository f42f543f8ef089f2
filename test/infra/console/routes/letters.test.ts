import { describe, expect, it } from "vitest";
import { lettersSchema } from "../../../../infra/console/api/letters.ts";
import { keysSchema, queueSchema } from "../../../../infra/console/api/queue.ts";
import { allowingIn, GROW, keyOf, serveQueueConsole } from "../../../support/console-queue.ts";

const [A1, A2, B1] = [keyOf("a", "w1"), keyOf("a", "w2"), keyOf("b", "secret-name")] as const;
const PATHS = ["/queue", `/queue/${GROW}/keys`, `/queue/${GROW}/tenants`, "/letters", "/me"] as const;

describe("queue and letters in the console", () => {
  it("show keys and letters in the shape of their schemas, page by page", async () => {
    await using world = await serveQueueConsole({ dead: [A1, A2, B1], ready: [keyOf("a", "w3")] });
    const get = async (path: string) => (await world.get(path)).body;
    const queue = queueSchema.parse(await get("/queue"));
    expect(queue).toMatchObject({ all: true, items: [{ function: GROW, dead: 3, ready: 1 }] });
    const keys = keysSchema.parse(await get(`/queue/${GROW}/keys?state=dead`));
    expect(new Set(keys.items.map(({ key }) => key))).toEqual(new Set([A1, A2, B1]));
    const seen: string[] = [];
    let next = "";
    do {
      const page = lettersSchema.parse(await get(`/letters?limit=2&next=${next}`.replace(/&next=$/, "")));
      seen.push(...page.items.map(({ key }) => key));
      next = page.next ?? "";
    } while (next !== "");
    expect(new Set(seen)).toEqual(new Set([A1, A2, B1]));
    expect(seen.length).toBe(3);
    const one = await get(`/letters/${GROW}/${encodeURIComponent(A1)}`);
    expect(one).toMatchObject({
      head: { key: A1, state: "dead", recorded: true },
      object: { type: "object", kind: "Widget", namespace: "a", name: "w1" },
      commands: [`capstan dlq show ${GROW} '${A1}'`, `capstan dlq replay ${GROW} '${A1}'`],
    });
  });

  it("show a person of one namespace no key, name or sum of another", async () => {
    await using world = await serveQueueConsole({ dead: [A1, A2, B1], reviewer: allowingIn("a") });
    for (const path of PATHS) {
      const { status, text } = await world.get(path);
      expect([path, status]).toEqual([path, 200]);
      expect(text, path).not.toContain("secret-name");
      expect(text, path).not.toContain("b/c");
    }
    const { body } = await world.get("/queue");
    expect(body).toMatchObject({ all: false, items: [{ function: GROW, dead: 2 }] });
    const [there, missing] = [B1, keyOf("b", "missing")].map(encodeURIComponent);
    for (const key of [there, missing]) {
      const refused = await world.get(`/letters/${GROW}/${key}`);
      expect(refused).toMatchObject({ status: 403, body: { reason: "Forbidden" } });
      expect(refused.text).not.toContain("secret-name");
    }
  });

  it("refuse limits, cursors and states that they do not know", async () => {
    await using world = await serveQueueConsole({ dead: [A1] });
    for (const [path, status, field] of [
      ["/letters?limit=1e9", 400, "limit"],
      ["/letters?limit=0", 400, "limit"],
      ["/letters?limit=x", 400, "limit"],
      ["/letters?limit=1&limit=2", 400, "limit"],
      ["/letters?next=foreign", 400, "next"],
      [`/letters?next=${Buffer.from("[1]").toString("base64url")}`, 400, "next"],
      [`/queue/${GROW}/keys?next=foreign`, 400, "next"],
      [`/queue/${GROW}/keys?state=lost`, 400, "state"],
      [`/letters?function=${"x".repeat(10_000)}`, 400, "function"],
      ["/letters?other=1", 400, "other"],
      ["/queue/__proto__/keys", 404, undefined],
      [`/letters/${GROW}/${encodeURIComponent(keyOf("a", "gone"))}`, 404, undefined],
      [`/letters/${GROW}/%00%e2%80%ae`, 404, undefined],
      [`/letters/__proto__/${encodeURIComponent(A1)}`, 404, undefined],
    ] as const) {
      const answer = await world.get(path);
      expect([path, answer.status, answer.body["field"]]).toEqual([path, status, field]);
      expect(answer.body["next"], path).not.toBe("");
    }
  });
});
