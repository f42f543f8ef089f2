import { describe, expect, it } from "vitest";
import { Position } from "../../../../infra/relay/watch/position.ts";

describe("the position of a watch loop", () => {
  it("resumes where it was after a failure, unless that voids its version", () => {
    const position = new Position();
    position.reached("10");
    position.failed({ isVoid: false, isRestored: false });
    expect([position.version, position.seen]).toEqual(["10", "10"]);
    position.failed({ isVoid: true, isRestored: false });
    expect([position.version, position.seen]).toEqual([undefined, "10"]);
  });

  it("KR-12: forgets what it has seen of a server that was restored, and says so with the next list", () => {
    const position = new Position();
    position.reached("10");
    position.listed();
    position.failed({ isVoid: true, isRestored: true });
    expect([position.version, position.seen]).toEqual([undefined, undefined]);
    expect(position.news).toEqual({ first: false, restored: true });
    position.listed();
    expect(position.news).toEqual({ first: false, restored: false });
  });

  it("is the first list until one was handled, and again once that is lost", () => {
    const position = new Position();
    expect(position.news.first).toBe(true);
    position.listed();
    expect(position.news.first).toBe(false);
    position.lost();
    expect(position.news.first).toBe(true);
    position.resumed("12");
    expect([position.news.first, position.version]).toEqual([false, "12"]);
  });
});
