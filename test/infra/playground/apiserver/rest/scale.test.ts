import { describe, expect, it } from "vitest";
import { MERGE, startTestServer, WIDGETS_PATH, widget } from "../api-client.ts";

const SCALE = `${WIDGETS_PATH}/a/scale`;

describe("the scale subresource", () => {
  it("shows and sets the replicas and raises the generation", async () => {
    await using api = await startTestServer();
    await api.call("POST", WIDGETS_PATH, { body: widget("a", { size: 2 }) });
    await api.call("PATCH", `${WIDGETS_PATH}/a/status`, { type: MERGE, body: { status: { replicas: 1 } } });
    const { body: shown } = await api.call("GET", SCALE);
    expect(shown).toMatchObject({
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      spec: { replicas: 2 },
      status: { replicas: 1 },
    });
    const patched = await api.call("PATCH", SCALE, { type: MERGE, body: { spec: { replicas: 5 } } });
    expect(patched.body.spec.replicas).toBe(5);
    const put = await api.call("PUT", SCALE, { body: { ...patched.body, spec: { replicas: 6 } } });
    expect(put.code).toBe(200);
    const { body } = await api.call("GET", `${WIDGETS_PATH}/a`);
    expect([body.spec.size, body.metadata.generation, body.status.replicas]).toEqual([6, 3, 1]);
    expect((await api.call("PUT", SCALE, { body: patched.body })).code).toBe(409);
  });
});
