import { describe, expect, it } from "vitest";
import { assert, KubeError, TerminalError, WaitingError } from "../../../shared/function/errors.ts";

describe("errors", () => {
  it("name the action of the runtime", () => {
    expect(new TerminalError("SecretConflict", "rename it").reason).toBe("SecretConflict");
    expect(new WaitingError("Connection default/c1").message).toBe("waiting for Connection default/c1");
    const kube = new KubeError({ class: "Conflict", status: 409, reason: "Conflict", message: "changed" });
    expect({ ...kube, causes: kube.causes }).toMatchObject({ class: "Conflict", status: 409, causes: [] });
  });

  it("mark what cannot happen as a bug", () => {
    expect(() => assert(false, "it has no owner")).toThrow("bug: it has no owner");
    expect(() => assert(true, "fine")).not.toThrow();
  });
});
