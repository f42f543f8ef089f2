import { describe, expect, it } from "vitest";
import { type Body, startTestServer } from "../api-client.ts";

const EVENTS = "/api/v1/namespaces/default/events";
const involvedObject = { kind: "Node", name: "n", namespace: "other" };
const eventTime = "2026-11-21T00:00:00.000000Z";

describe("an Event", () => {
  it("lies in the namespace of what it is about", async () => {
    await using api = await startTestServer({ withWidgets: false });
    const body = { metadata: { name: "e" }, involvedObject };
    const reply = await api.call("POST", EVENTS, { body });
    expect([reply.code, reply.body.details.causes[0].field]).toEqual([422, "involvedObject.namespace"]);
    const { namespace: _, ...node } = involvedObject;
    expect((await api.call("POST", EVENTS, { body: { ...body, involvedObject: node } })).code).toBe(201);
  });

  it("with a time of its own says who reports what", async () => {
    await using api = await startTestServer({ withWidgets: false });
    const body = { metadata: { name: "e" }, involvedObject, eventTime, reason: "R" };
    const reply = await api.call("POST", EVENTS, { body });
    expect([...new Set(reply.body.details.causes.map(({ field }: Body) => field))]).toEqual([
      "reportingComponent",
      "reportingInstance",
      "action",
    ]);
  });
});

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
});
