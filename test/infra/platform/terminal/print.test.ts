import { afterEach, describe, expect, it, vi } from "vitest";
import { printError } from "../../../../infra/platform/terminal/print.ts";

afterEach(() => vi.restoreAllMocks());

describe("the message of a command that fails", () => {
  it("keeps its lines and loses its credentials", () => {
    let reported = "";
    vi.spyOn(process.stderr, "write").mockImplementation((text) => {
      reported += String(text);
      return true;
    });
    printError("cannot reach redis://:c4n4ry@127.0.0.1:1\nAuthorization: Bearer c4n4ry");
    expect(reported).toBe(
      "capstan: cannot reach redis://hmac-sha256:*@127.0.0.1:1\n  Authorization: Bearer hmac-sha256:*\n",
    );
  });
});
