import { describe, expect, it } from "vitest";
import { isPoll, reopenings } from "./polls.ts";

const WATCH = "/api/v1/nodes?watch=1&resourceVersion=7";
const relay = { name: "relay" };

describe("polls", () => {
  it("are renewals of a lease, and the cloud's looks at an authority", () => {
    expect(isPoll(relay, "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/relay")).toBe(true);
    expect(isPoll({ name: "cloud" }, "/api/v1/namespaces/default/secrets/c1-ca")).toBe(true);
    expect(isPoll(relay, "/api/v1/namespaces/default/secrets/c1-ca")).toBe(false);
  });

  it("are watches that are opened again after their time, not those that broke off", () => {
    const isReopening = reopenings();
    expect(isReopening(relay, WATCH, 0), "first").toBe(false);
    expect(isReopening(relay, WATCH, 299_999), "broke off").toBe(false);
    expect(isReopening(relay, WATCH, 599_999), "at its end").toBe(true);
    expect(isReopening({ name: "relay.2" }, WATCH, 899_999), "of another process").toBe(false);
    expect(isReopening(relay, "/api/v1/pods?watch=1", 899_999), "of another kind").toBe(false);
    expect(isReopening(relay, "/api/v1/nodes?limit=500", 999_999), "a list").toBe(false);
  });
});
