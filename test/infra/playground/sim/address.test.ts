import { describe, expect, it } from "vitest";
import { LOOPBACK_ADDRESS, parseCloudAddress } from "../../../../infra/playground/sim/address.ts";

describe("the address of the cloud", () => {
  it("listens on an IP address, and on all addresses for a DNS name", () => {
    expect(parseCloudAddress("192.0.2.7")).toEqual({
      announced: "192.0.2.7",
      listen: "192.0.2.7",
      own: "192.0.2.7",
    });
    expect(parseCloudAddress("2001:DB8::7").announced).toBe("2001:db8::7");
    expect(parseCloudAddress("Cloud.example.svc")).toEqual({
      announced: "cloud.example.svc",
      listen: undefined,
      own: "127.0.0.1",
    });
    expect(parseCloudAddress("localhost")).toBe(LOOPBACK_ADDRESS);
  });

  it.each([
    "",
    "0.0.0.0",
    "::",
    "0:0:0:0:0:0:0:0",
    "https://cloud.example",
    "cloud.example:6443",
    "[::1]",
    "-cloud",
    "a..b",
    `${"a".repeat(64)}.example`,
    "a.".repeat(127),
  ])("refuses %j", (text) => {
    expect(() => parseCloudAddress(text)).toThrow(TypeError);
  });
});
