import { describe, expect, it } from "vitest";
import { heldBack } from "../../../../shared/rules/status/held-back.ts";
import { machinePool } from "../../../support/builders.ts";
import { NOW } from "../../../support/world.ts";

const created = (creationTimestamp: string | undefined) => machinePool({ metadata: { creationTimestamp } });

describe("the status of an object whose siblings still write", () => {
  it.each([
    ["2026-01-01T12:00:00Z", 60_000],
    ["2026-01-01T11:59:01Z", 1_000],
  ])("waits until the object is a minute old: created at %s", (createdAt, afterMs) => {
    expect(heldBack(created(createdAt), NOW)).toMatchObject({ type: "requeue", afterMs });
  });

  it.each(["2026-01-01T11:59:00Z", "2026-01-01T11:00:00Z", undefined])(
    "does not wait for an older object, or one without age: created at %s",
    (createdAt) => {
      expect(heldBack(created(createdAt), NOW)).toBeUndefined();
    },
  );
});
