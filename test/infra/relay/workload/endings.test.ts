import { describe, expect, it } from "vitest";
import { createEndings } from "../../../../infra/relay/workload/endings.ts";

describe("the ends of connections", () => {
  it("come before the next beginning of the same name, and hold up no other", async () => {
    const endings = createEndings();
    const steps: string[] = [];
    const first = Promise.withResolvers<void>();
    endings.end("c1", () => first.promise);
    endings.start("c1", () => steps.push("c1"));
    endings.start("c2", () => steps.push("c2"));
    expect(steps).toEqual(["c2"]);
    first.resolve();
    await endings.settled();
    expect(steps).toEqual(["c2", "c1"]);
    endings.start("c1", () => steps.push("c1 again"));
    expect(steps).toEqual(["c2", "c1", "c1 again"]);
  });

  it("let the last of several waiting beginnings happen, once", async () => {
    const endings = createEndings();
    const steps: string[] = [];
    endings.end("c1", async () => undefined);
    endings.start("c1", () => steps.push("first"));
    endings.start("c1", () => steps.push("second"));
    await endings.settled();
    expect(steps).toEqual(["second"]);
  });

  it("drop a beginning that waits when the name ends again, and come one after the other", async () => {
    const endings = createEndings();
    const steps: string[] = [];
    const first = Promise.withResolvers<void>();
    endings.end("c1", () => first.promise.then(() => void steps.push("first end")));
    endings.start("c1", () => steps.push("begun"));
    endings.end("c1", async () => void steps.push("second end"));
    first.resolve();
    await endings.settled();
    expect(steps).toEqual(["first end", "second end"]);
  });
});
