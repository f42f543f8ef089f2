import { describe, expect, it } from "vitest";
import { machine } from "../../../../../builders.ts";
import { auditPatch } from "../../../../functions/machine/rules/audit.ts";

const FINALIZER = "audit.test.capstan.dev";
const SEEN = { "audit.test.capstan.dev/seen": "" };

describe("the finalizer of an audit", () => {
  it("is added before the deletion, and removed once the audit has seen it", () => {
    const patches = (metadata: object) => auditPatch(machine("m1", { metadata })).map(({ op }) => op);
    const going = { deletionTimestamp: "2026-01-01T12:00:00Z", finalizers: [FINALIZER] };
    expect(patches({ finalizers: undefined })).toEqual(["add"]);
    expect(patches({ finalizers: [FINALIZER] })).toEqual([]);
    expect(patches(going)).toEqual([]);
    expect(patches({ ...going, annotations: SEEN })).toEqual(["test", "remove"]);
  });
});
