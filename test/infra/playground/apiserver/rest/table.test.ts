import { describe, expect, it } from "vitest";
import { MERGE, startTestServer, WIDGETS_PATH, widget } from "../api-client.ts";

const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
const LIST = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";

describe("tables and metadata", () => {
  it("have a cell per column and the metadata of each object", async () => {
    await using api = await startTestServer();
    await api.call("POST", WIDGETS_PATH, { body: widget("a", { size: 3, color: "red" }) });
    await api.call("PATCH", `${WIDGETS_PATH}/a/status`, { type: MERGE, body: { status: { phase: "Up" } } });
    const { body } = await api.call("GET", WIDGETS_PATH, { accept: TABLE });
    expect(
      body.columnDefinitions.map(({ name, priority }: { name: string; priority: number }) => [
        name,
        priority,
      ]),
    ).toEqual([
      ["Name", 0],
      ["Size", 0],
      ["Phase", 0],
      ["Color", 1],
      ["Age", 0],
    ]);
    expect(body.rows[0].cells).toEqual(["a", 3, "Up", "red", expect.stringMatching(/^\d+s$/)]);
    expect([body.rows[0].object.kind, body.rows[0].object.metadata.name, body.rows[0].object.spec]).toEqual([
      "PartialObjectMetadata",
      "a",
      undefined,
    ]);
    const whole = await api.call("GET", `${WIDGETS_PATH}?includeObject=Object`, { accept: TABLE });
    expect(whole.body.rows[0].object.spec.size).toBe(3);
    const bare = await api.call("GET", `${WIDGETS_PATH}?includeObject=None`, { accept: TABLE });
    expect(bare.body.rows[0].object).toBeNull();
  });

  it("say what a Node is doing", async () => {
    await using api = await startTestServer({ withWidgets: false });
    const metadata = { name: "n", labels: { "node-role.kubernetes.io/worker": "" } };
    await api.call("POST", "/api/v1/nodes", { body: { metadata, spec: { unschedulable: true } } });
    const status = {
      conditions: [{ type: "Ready", status: "True" }],
      nodeInfo: { kubeletVersion: "v1.34.0" },
    };
    await api.call("PATCH", "/api/v1/nodes/n/status", { type: MERGE, body: { status } });
    const { body } = await api.call("GET", "/api/v1/nodes", { accept: TABLE });
    expect(body.rows[0].cells.slice(0, 3)).toEqual(["n", "Ready,SchedulingDisabled", "worker"]);
    expect(body.rows[0].cells[4]).toBe("v1.34.0");
  });

  it("can be left at the metadata", async () => {
    await using api = await startTestServer();
    await api.call("POST", WIDGETS_PATH, { body: widget("a", { size: 3 }) });
    const { body } = await api.call("GET", WIDGETS_PATH, { accept: LIST });
    expect([body.kind, body.items[0].kind, body.items[0].spec]).toEqual([
      "PartialObjectMetadataList",
      "PartialObjectMetadata",
      undefined,
    ]);
  });
});
