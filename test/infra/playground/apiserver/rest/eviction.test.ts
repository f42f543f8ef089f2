import { describe, expect, it } from "vitest";
import { type Body, MERGE, startTestServer, type TestApiServer } from "../api-client.ts";

const PODS = "/api/v1/namespaces/default/pods";
const BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";

async function runPod(api: TestApiServer, name: string): Promise<void> {
  const spec = { nodeName: "n", containers: [{ name: "c", image: "i" }] };
  await api.call("POST", PODS, { body: { metadata: { name, labels: { app: "x" } }, spec } });
  const status = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
  await api.call("PATCH", `${PODS}/${name}/status`, { type: MERGE, body: { status } });
}

async function createBudget(api: TestApiServer, name: string, selector: Body, status: Body): Promise<void> {
  await api.call("POST", BUDGETS, { body: { metadata: { name }, spec: { minAvailable: 1, selector } } });
  await api.call("PATCH", `${BUDGETS}/${name}/status`, { type: MERGE, body: { status } });
}

const evict = (api: TestApiServer, name: string, more: Body = {}, query = "") =>
  api.call("POST", `${PODS}/${name}/eviction${query}`, {
    body: { apiVersion: "policy/v1", kind: "Eviction", metadata: { name }, ...more },
  });

const SELECTS_X = { matchLabels: { app: "x" } };

describe("eviction", () => {
  it("deletes a Pod that no budget protects", async () => {
    await using api = await startTestServer({ withWidgets: false, podGraceScale: 1 });
    await runPod(api, "p");
    const { code, body } = await evict(api, "p");
    expect([code, body.status]).toEqual([201, "Success"]);
    expect((await api.call("GET", `${PODS}/p`)).body.metadata.deletionGracePeriodSeconds).toBe(30);
  });

  it("is refused while a budget allows no disruption, and uses it up otherwise", async () => {
    await using api = await startTestServer({ withWidgets: false, podGraceScale: 1 });
    for (const name of ["p", "q"]) await runPod(api, name);
    await createBudget(api, "b", SELECTS_X, {});
    const unobserved = await evict(api, "p");
    expect([unobserved.code, unobserved.headers["retry-after"]]).toEqual([429, "10"]);
    const status = { observedGeneration: 1, currentHealthy: 2, desiredHealthy: 2, disruptionsAllowed: 0 };
    await api.call("PATCH", `${BUDGETS}/b/status`, { type: MERGE, body: { status } });
    const refused = await evict(api, "p");
    expect(refused.code).toBe(429);
    expect(refused.body).toMatchObject({
      reason: "TooManyRequests",
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      details: {
        causes: [
          {
            reason: "DisruptionBudget",
            message: "The disruption budget b needs 2 healthy pods and has 2 currently",
          },
        ],
      },
    });
    await api.call("PATCH", `${BUDGETS}/b/status`, {
      type: MERGE,
      body: { status: { disruptionsAllowed: 1 } },
    });
    expect((await evict(api, "p", {}, "?dryRun=All")).code).toBe(201);
    expect((await evict(api, "p")).code).toBe(201);
    const { body: budget } = await api.call("GET", `${BUDGETS}/b`);
    expect([budget.status.disruptionsAllowed, Object.keys(budget.status.disruptedPods)]).toEqual([0, ["p"]]);
    expect((await evict(api, "p")).code).toBe(201);
    expect((await evict(api, "q")).code).toBe(429);
  });

  it("does not know which of two budgets to ask", async () => {
    await using api = await startTestServer({ withWidgets: false });
    await runPod(api, "p");
    await createBudget(api, "b", SELECTS_X, {});
    await createBudget(api, "c", { matchExpressions: [{ key: "app", operator: "Exists" }] }, {});
    const { code, body } = await evict(api, "p");
    expect([code, body.message]).toEqual([500, expect.stringContaining("more than one PodDisruptionBudget")]);
  });

  it("asks no budget about Pods that are not ready, wait, or are not selected", async () => {
    await using api = await startTestServer({ withWidgets: false });
    await runPod(api, "p");
    const excluding = { matchExpressions: [{ key: "app", operator: "NotIn", values: ["x"] }] };
    await createBudget(api, "other", excluding, {});
    await createBudget(api, "b", SELECTS_X, { currentHealthy: 1, desiredHealthy: 1 });
    const status = { conditions: [{ type: "Ready", status: "False" }] };
    await api.call("PATCH", `${PODS}/p/status`, { type: MERGE, body: { status } });
    expect((await evict(api, "p")).code).toBe(201);
    const spec = { containers: [{ name: "c", image: "i" }] };
    await api.call("POST", PODS, { body: { metadata: { name: "waits", labels: { app: "x" } }, spec } });
    expect((await evict(api, "waits")).code).toBe(201);
  });

  it("checks name, presence and preconditions", async () => {
    await using api = await startTestServer({ withWidgets: false });
    await runPod(api, "p");
    expect((await evict(api, "p", { metadata: { name: "q" } })).code).toBe(400);
    expect((await evict(api, "nobody")).code).toBe(404);
    const preconditions = { uid: "another" };
    expect((await evict(api, "p", { deleteOptions: { preconditions } })).code).toBe(409);
    expect((await api.call("GET", `${PODS}/p`)).body.metadata.deletionTimestamp).toBeUndefined();
  });
});
