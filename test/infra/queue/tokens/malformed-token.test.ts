import { describe, expect, it } from "vitest";
import { malformedKey, malformedRun } from "../../../../infra/queue/tokens/malformed-token.ts";
import { NOW } from "../../../support/world.ts";

const CLAIM = { owner: "w", failures: 0, retries: 0, causes: [], fences: [], readyMs: 0, claimedAtMs: 0 };

describe("a message that is not a token", () => {
  it("is a token with a malformed key, unless the ledger knows that key", () => {
    const token = (key: string) => ({ key, seq: "1", priority: "live" }) as const;
    expect(malformedKey(token("default/c1|MachinePool|default/p1"), undefined)).toBeUndefined();
    expect(malformedKey(token("no key"), { ...CLAIM, key: "no key" })).toBeUndefined();
    expect(malformedKey(token("no key"), undefined)).toMatchObject({ priority: "live" });
    expect(malformedKey(token("no key"), { ...CLAIM, key: "another" })).toBeDefined();
    expect(malformedKey(token("s3cr3t"), undefined)?.malformed).not.toContain("s3cr3t");
  });

  it("is dead at once, under one key per function, with the next step", () => {
    const arrived = { malformed: "SQS message 7 is not a token", priority: "resync" } as const;
    expect(malformedRun("machine-guard", arrived, NOW)).toMatchObject({
      key: "malformed-token",
      failure: {
        class: "Terminal",
        message: expect.stringContaining("capstan dlq drop machine-guard malformed-token"),
      },
      death: { reason: "Malformed", priority: "resync", since: NOW },
    });
  });
});
