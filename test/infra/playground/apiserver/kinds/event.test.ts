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
