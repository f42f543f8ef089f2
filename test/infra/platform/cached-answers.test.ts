import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { cachedAnswers } from "../../../infra/platform/cached-answers.ts";
import { collectAll } from "../../../infra/worker/give-back-memory.ts";

function scene(most = 2) {
  let nowMs = 0;
  const asked: string[] = [];
  const answers = cachedAnswers<string>({ cachedMs: 1_000, most, clock: { now: () => new Date(nowMs) } });
  return {
    asked,
    pass: (ms: number) => {
      nowMs += ms;
    },
    ask: (question: string, answer: () => Promise<string> = async () => question.toUpperCase()) =>
      answers(question, () => {
        asked.push(question);
        return answer();
      }),
  };
}

describe("cachedAnswers", () => {
  it("asks a question again only when its answer is older, and each question for itself", async () => {
    const { asked, ask, pass } = scene();
    expect(await Promise.all([ask("a"), ask("a"), ask("b")])).toEqual(["A", "A", "B"]);
    pass(999);
    await ask("a");
    expect(asked).toEqual(["a", "b"]);
    pass(1);
    await ask("a");
    expect(asked).toEqual(["a", "b", "a"]);
  });

  it("keeps an answer that took long for longer, so that it takes at most its share of the time", async () => {
    let nowMs = 0;
    let asked = 0;
    const clock = { now: () => new Date(nowMs) };
    const answers = cachedAnswers<number>({ cachedMs: 1_000, share: 1 / 20, most: 2, clock });
    const ask = async (tookMs: number) =>
      answers("large", async () => {
        nowMs += tookMs;
        asked += 1;
        return asked;
      });
    await ask(500);
    nowMs = 9_999;
    expect(await ask(1)).toBe(1);
    nowMs = 10_000;
    expect(await ask(1)).toBe(2);
    nowMs = 10_999;
    expect(await ask(1)).toBe(2);
    nowMs = 11_000;
    expect(await ask(1)).toBe(3);
  });

  it("asks at once again after a failure, and an older failure does not drop a newer answer", async () => {
    const { asked, ask, pass } = scene();
    const late = Promise.withResolvers<string>();
    const first = ask("a", () => late.promise);
    pass(1_000);
    await ask("a");
    late.reject(new Error("away"));
    await expect(first).rejects.toThrow("away");
    await ask("a");
    expect(asked).toEqual(["a", "a"]);
    await expect(ask("b", () => Promise.reject(new Error("away")))).rejects.toThrow("away");
    expect(await ask("b")).toBe("B");
  });

  it("keeps so many, and lets go of the one that was asked first", async () => {
    const { asked, ask } = scene(2);
    for (const question of ["a", "b", "c", "b", "a"]) await ask(question);
    expect(asked).toEqual(["a", "b", "c", "a"]);
  });

  it("lets go of an answer that is too old with the next question, whatever that is", async () => {
    let nowMs = 0;
    const clock = { now: () => new Date(nowMs) };
    const answers = cachedAnswers<{ readonly large: string }>({ cachedMs: 1_000, most: 2, clock });
    const ask = async (question: string) => new WeakRef(await answers(question, async () => ({ large: "" })));
    const isKept = async (answer: WeakRef<object>) => {
      // A reference that was made in this turn holds what it refers to.
      await setImmediate();
      collectAll();
      return answer.deref() !== undefined;
    };
    const first = await ask("a");
    expect(await isKept(first)).toBe(true);
    nowMs = 1_000;
    await ask("b");
    expect(await isKept(first)).toBe(false);
  });
});
