import { describe, expect, it } from "vitest";
import { assert, KubeError, TerminalError, WaitingError } from "../../../shared/function/errors.ts";

describe("errors", () => {
  it("say what the runtime shall do", () => {
    expect(new TerminalError("SecretConflict", "rename it").reason).toBe("SecretConflict");
    expect(new WaitingError("Connection default/c1").message).toBe("waiting for Connection default/c1");
    const kube = new KubeError({ class: "Conflict", status: 409, reason: "Conflict", message: "changed" });
    expect({ ...kube, causes: kube.causes }).toMatchObject({ class: "Conflict", status: 409, causes: [] });
  });

  it("mark what cannot happen as a bug", () => {
    expect(() => assert(false, "nobody owns this")).toThrow("bug: nobody owns this");
    expect(() => assert(true, "fine")).not.toThrow();
  });
});
