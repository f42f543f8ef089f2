import { describe, expect, it } from "vitest";
import { type Body, MERGE, startTestServer, type TestApiServer } from "../api-client.ts";

const PODS = "/api/v1/namespaces/default/pods";
const CONTAINER = { name: "c", image: "i" };

const create = (api: TestApiServer, spec: Body) =>
  api.call("POST", PODS, { body: { metadata: { name: "p" }, spec } });
const causesOf = ({ body }: { readonly body: Body }): string[] =>
  body.details.causes.map(({ field, reason }: Body) => `${field} ${reason}`);

describe("a Pod", () => {
  it("gets the defaults of Kubernetes, which its creator owns", async () => {
    await using api = await startTestServer({ withWidgets: false });
    const containers = [
      { name: "a", image: "r.io:5000/a" },
      { name: "b", image: "b:1" },
    ];
    const { body } = await create(api, { containers });
    expect(body.spec).toMatchObject({ restartPolicy: "Always", containers: [{}, { resources: {} }] });
    const policies = body.spec.containers.map((one: { imagePullPolicy: string }) => one.imagePullPolicy);
    expect(policies).toEqual(["Always", "IfNotPresent"]);
    expect(body.metadata.managedFields[0].fieldsV1["f:spec"]).toHaveProperty("f:dnsPolicy");
  });

  it("stays on a failing Node for a while, in a field without owner", async () => {
    await using api = await startTestServer({ withWidgets: false });
    const { body } = await create(api, { containers: [CONTAINER] });
    expect(body.spec.tolerations.map(({ tolerationSeconds }: Body) => tolerationSeconds)).toEqual([300, 300]);
    expect(body.metadata.managedFields[0].fieldsV1["f:spec"]).not.toHaveProperty("f:tolerations");
  });

  it("has containers with a name, an image and known volumes", async () => {
    await using api = await startTestServer({ withWidgets: false });
    expect(causesOf(await create(api, {}))).toEqual(["spec.containers FieldValueRequired"]);
    const volumeMounts = [{ name: "v", mountPath: "/x" }];
    expect(causesOf(await create(api, { containers: [{ name: "c", volumeMounts }] }))).toEqual([
      "spec.containers[0].image FieldValueRequired",
      "spec.containers[0].volumeMounts[0].name FieldValueNotFound",
    ]);
  });

  it("changes its images and nothing else", async () => {
    await using api = await startTestServer({ withWidgets: false });
    await create(api, { containers: [CONTAINER] });
    const patch = (spec: Body) => api.call("PATCH", `${PODS}/p`, { type: MERGE, body: { spec } });
    expect((await patch({ containers: [{ ...CONTAINER, image: "j" }] })).code).toBe(200);
    expect(causesOf(await patch({ hostname: "h" }))).toEqual(["spec FieldValueForbidden"]);
    const more = await patch({ containers: [CONTAINER, { name: "d", image: "i" }] });
    expect(causesOf(more)).toEqual(["spec.containers FieldValueForbidden"]);
  });

  it.each([
    [{}, "BestEffort"],
    [{ requests: { cpu: "1" } }, "Burstable"],
    [{ limits: { cpu: "1", memory: "1Gi" } }, "Guaranteed"],
  ])("that asks for %j is %s", async (resources, quality) => {
    await using api = await startTestServer({ withWidgets: false });
    const { body } = await create(api, { containers: [{ ...CONTAINER, resources }] });
    expect(body.status.qosClass).toBe(quality);
  });
});
