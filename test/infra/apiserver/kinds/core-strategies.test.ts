import { describe, expect, it } from "vitest";
import { startTestServer } from "../api-client.ts";

const PODS = "/api/v1/namespaces/default/pods";

describe("compiled-in kinds", () => {
  it("a Node keeps its provider ID once it has one", async () => {
    await using api = await startTestServer({ withWidgets: false });
    await api.call("POST", "/api/v1/nodes", { body: { metadata: { name: "n" } } });
    const set = (providerID: string) =>
      api.call("PATCH", "/api/v1/nodes/n", {
        body: { spec: { providerID } },
        type: "application/merge-patch+json",
      });
    expect((await set("x://1")).body.spec.providerID).toBe("x://1");
    const { code, body } = await set("x://2");
    expect([code, body.details.causes[0].reason]).toEqual([422, "FieldValueForbidden"]);
  });

  it("a Pod gets the defaults of Kubernetes, which its creator owns", async () => {
    await using api = await startTestServer({ withWidgets: false });
    const containers = [
      { name: "a", image: "r.io:5000/a" },
      { name: "b", image: "b:1" },
    ];
    const { body } = await api.call("POST", PODS, {
      body: { metadata: { name: "p" }, spec: { containers } },
    });
    expect(body.spec).toMatchObject({ restartPolicy: "Always", containers: [{}, { resources: {} }] });
    const policies = body.spec.containers.map((one: { imagePullPolicy: string }) => one.imagePullPolicy);
    expect(policies).toEqual(["Always", "IfNotPresent"]);
    expect(body.metadata.managedFields[0].fieldsV1["f:spec"]).toHaveProperty("f:dnsPolicy");
  });

  it("an empty map of a ConfigMap is none", async () => {
    await using api = await startTestServer({ withWidgets: false });
    const path = "/api/v1/namespaces/default/configmaps";
    const { body } = await api.call("POST", path, { body: { metadata: { name: "c" }, data: {} } });
    expect(body).not.toHaveProperty("data");
  });
});
