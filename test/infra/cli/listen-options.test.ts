import { describe, expect, it } from "vitest";
import { parseListenAddress } from "../../../infra/cli/listen-options.ts";

describe("the address of a listener", () => {
  it("takes every address of the machine, or one", () => {
    expect(parseListenAddress(":9440")).toEqual({ host: undefined, port: 9440 });
    expect(parseListenAddress("10.0.0.1:0")).toEqual({ host: "10.0.0.1", port: 0 });
    expect(parseListenAddress("localhost:1")).toEqual({ host: "localhost", port: 1 });
    expect(parseListenAddress("[::]:9440")).toEqual({ host: "::", port: 9440 });
    for (const wrong of ["", "9440", ":", ":65536", "::1:9440", "[]:1", "[10.0.0.1]:1", "a:b"]) {
      expect(() => parseListenAddress(wrong)).toThrow("write :PORT, HOST:PORT or [IPV6]:PORT");
    }
  });
});
