import { describe, expect, it } from "vitest";
import { createReviews, type Reviewer, type User } from "../../../../infra/worker/diagnostics/reviews.ts";
import { virtualClock } from "../../../support/clock.ts";

const SCRAPER: User = { username: "system:serviceaccount:default:scraper", uid: "u1", groups: ["g"] };

/** An API server that knows the token `good`, and how often it was asked. */
function server(answer: (kind: string, spec: object) => object = () => ({})) {
  const asked: { readonly kind: string; readonly spec: object }[] = [];
  const reviewer: Reviewer = {
    review: async ({ kind }, spec) => {
      asked.push({ kind, spec });
      const isGood = "token" in spec && spec.token === "good";
      const known = isGood ? { authenticated: true, user: SCRAPER } : {};
      return { kind, status: kind === "TokenReview" ? known : { allowed: true }, ...answer(kind, spec) };
    },
  };
  const clock = virtualClock();
  return { asked, clock, reviews: createReviews(reviewer, clock) };
}

describe("reviews of the API server", () => {
  it("ask once in ten seconds for a token, and again afterwards", async () => {
    const { asked, clock, reviews } = server();
    expect(await Promise.all([reviews.userOf("good"), reviews.userOf("good")])).toEqual([SCRAPER, SCRAPER]);
    await clock.advance(9_999);
    expect(await reviews.userOf("good")).toEqual(SCRAPER);
    expect(asked).toEqual([{ kind: "TokenReview", spec: { token: "good" } }]);
    await clock.advance(1);
    await reviews.userOf("good");
    expect(asked.length).toBe(2);
  });

  it("name the user and the path as the API server knows them", async () => {
    const { asked, reviews } = server();
    expect(await reviews.mayGet(SCRAPER, "/metrics")).toBe(true);
    await reviews.mayGet(SCRAPER, "/metrics");
    await reviews.mayGet(SCRAPER, "/status");
    const { username: user, uid, groups } = SCRAPER;
    const specOf = (path: string) => ({ user, uid, groups, nonResourceAttributes: { path, verb: "get" } });
    expect(asked.map(({ spec }) => spec)).toEqual([specOf("/metrics"), specOf("/status")]);
  });

  it("refuse a user whose answer does not allow it", async () => {
    for (const status of [{ allowed: false }, { allowed: true, denied: true }]) {
      const { reviews } = server(() => ({ status }));
      expect(await reviews.mayGet(SCRAPER, "/metrics")).toBe(false);
    }
    for (const status of [{}, { authenticated: false, user: SCRAPER }, { authenticated: true }]) {
      const { reviews } = server(() => ({ status }));
      expect(await reviews.userOf("bad")).toBeUndefined();
    }
    const { reviews } = server(() => ({ status: {} }));
    await expect(reviews.mayGet(SCRAPER, "/metrics")).rejects.toThrow();
  });

  it("do not keep a failure: the next client asks again", async () => {
    let away: boolean = true;
    const { reviews } = server(() => {
      if (away) throw new Error("no answer");
      return {};
    });
    await expect(reviews.userOf("good")).rejects.toThrow("no answer");
    away = false;
    expect(await reviews.userOf("good")).toEqual(SCRAPER);
  });

  it("keep a thousand answers at most", async () => {
    const { asked, reviews } = server();
    await reviews.userOf("good");
    for (let index = 0; index < 1_000; index += 1) await reviews.userOf(`bad ${index}`);
    await reviews.userOf("bad 999");
    expect(asked.length).toBe(1_001);
    await reviews.userOf("good");
    expect(asked.length).toBe(1_002);
  });
});
