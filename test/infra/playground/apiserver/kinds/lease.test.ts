import { describe, expect, it } from "vitest";
import { startTestServer } from "../api-client.ts";

const LEASE = "/apis/coordination.k8s.io/v1/namespaces/default/leases/l";
const lease = (spec: object, metadata = {}) => ({ metadata: { name: "l", ...metadata }, spec });

describe("a Lease", () => {
  it("is created by PUT and then replaced by a client that knows its version", async () => {
    await using api = await startTestServer({ withWidgets: false });
    const created = await api.call("PUT", LEASE, { body: lease({ holderIdentity: "a" }) });
    expect(created.code).toBe(201);
    expect((await api.call("PUT", LEASE, { body: lease({ holderIdentity: "b" }) })).code).toBe(422);
    const { resourceVersion } = created.body.metadata;
    const body = lease({ holderIdentity: "b" }, { resourceVersion });
    expect((await api.call("PUT", LEASE, { body })).body.spec.holderIdentity).toBe("b");
  });

  it("lasts for some time", async () => {
    await using api = await startTestServer({ withWidgets: false });
    const { code, body } = await api.call("PUT", LEASE, { body: lease({ leaseDurationSeconds: 0 }) });
    expect([code, body.details.causes[0].field]).toEqual([422, "spec.leaseDurationSeconds"]);
  });
});
