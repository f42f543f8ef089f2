import { describe, expect, it } from "vitest";
import { isLoopbackHost, parseLoopbackAddress } from "../../../infra/worker/loopback-address.ts";

describe("the address of metrics", () => {
  it.each([
    ["127.0.0.1:9090", { host: "127.0.0.1", port: 9090 }],
    ["127.0.0.2:0", { host: "127.0.0.2", port: 0 }],
    ["localhost:80", { host: "127.0.0.1", port: 80 }],
    ["[::1]:9090", { host: "::1", port: 9090 }],
  ])("may be %s", (text, address) => {
    expect(parseLoopbackAddress(text)).toEqual(address);
  });

  it.each(["0.0.0.0:9090", "[::]:9090", "10.0.0.7:9090", "example.org:9090", "127.example.org:9090"])(
    "S-40: is refused beyond loopback: %s",
    (text) => {
      expect(() => parseLoopbackAddress(text)).toThrow(/is not loopback.*write 127\.0\.0\.1:\d+$/);
    },
  );

  it.each(["", "9090", ":9090", "127.0.0.1", "127.0.0.1:", "127.0.0.1:99999", "127.0.0.1:-1"])(
    "must be one: %j",
    (text) => {
      expect(() => parseLoopbackAddress(text)).toThrow("is not an address with a port; write 127.0.0.1:PORT");
    },
  );
});

describe("the Host of a request", () => {
  it("names this machine or is refused", () => {
    for (const host of ["127.0.0.1:9090", "localhost", "[::1]:1"]) expect(isLoopbackHost(host)).toBe(true);
    for (const host of [undefined, "", "evil.example:9090", "127.0.0.1.evil.example", "localhost.evil:1"]) {
      expect(isLoopbackHost(host)).toBe(false);
    }
  });
});
