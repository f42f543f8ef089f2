import { describe, expect, it } from "vitest";
import { embeddedAddresses } from "../../../../infra/platform/kube/embedded-addresses.ts";

describe("IPv4 addresses within IPv6 addresses", () => {
  it.each([
    ["mapped", "::ffff:192.0.2.33"],
    ["compatible", "::192.0.2.33"],
    ["translated", "::ffff:0:192.0.2.33"],
    ["NAT64", "64:ff9b::192.0.2.33"],
    ["local NAT64, /96", "64:ff9b:1:abcd::192.0.2.33"],
    ["local NAT64, /48", "64:ff9b:1:c000:2:2100::"],
    ["local NAT64, /56", "64:ff9b:1:c0:0:221::"],
    ["local NAT64, /64", "64:ff9b:1:0:c0:2:2100:0"],
    ["6to4", "2002:c000:221::1"],
    ["the server of Teredo", "2001:0:c000:221::"],
    ["the client of Teredo", "2001::3fff:fdde"],
    ["ISATAP", "fe80::5efe:192.0.2.33"],
    ["ISATAP, global", "2001:db8::200:5efe:192.0.2.33"],
  ])("are found in %s: %s", (_form, address) => {
    expect(embeddedAddresses(address)).toContain("192.0.2.33");
  });

  it.each(["10.0.0.1", "2001:db8::c000:221", "fd12::1", "api.example.com", ""])(
    "are not in %j",
    (address) => {
      expect(embeddedAddresses(address)).toEqual([]);
    },
  );
});
