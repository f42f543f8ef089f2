import { describe, expect, it } from "vitest";
import {
  hrefOf,
  hrefOfChildren,
  pathOf,
  placeOfText,
  viewOf,
} from "../../../../../infra/console/page/place/place.ts";

const KEY = "payments/eu|Machine|payments/m1";

describe("addresses of the console", () => {
  it("leads from each place to its view", () => {
    expect(viewOf(hrefOf({ type: "cluster", namespace: "a", name: "b.c" }))).toEqual({
      page: "cluster",
      namespace: "a",
      name: "b.c",
    });
    expect(viewOf(hrefOf({ type: "letter", function: "machine-node", key: KEY }))).toEqual({
      page: "letter",
      function: "machine-node",
      key: KEY,
    });
    expect(viewOf(hrefOf({ type: "object", kind: "Machine", namespace: "a", name: "é/?#%" }))).toMatchObject({
      name: "é/?#%",
    });
    expect(viewOf(hrefOf({ type: "function", function: "f" }))).toEqual({ page: "function", function: "f" });
    expect(hrefOf({ type: "run", function: "machine-node", key: KEY, runId: "r1" })).toBe(
      "/objects/Machine/payments/m1?run=r1&by=machine-node",
    );
    expect(hrefOf({ type: "run", function: "f", key: "malformed", runId: "r1" })).toBe("/queue/f");
  });

  it("leads to the objects that a tree counts only", () => {
    const more = { kind: "Machine", state: "ready" };
    const href = hrefOfChildren({ type: "cluster", namespace: "a", name: "c" }, more);
    expect(href).toBe("/objects/Cluster/a/c/children/Machine?state=ready");
    expect(viewOf(href.split("?")[0] ?? "")).toEqual({
      page: "children",
      kind: "Cluster",
      namespace: "a",
      name: "c",
      of: "Machine",
    });
    expect(
      hrefOfChildren({ type: "object", kind: "MachinePool", namespace: "a", name: "p" }, more),
    ).toContain("/MachinePool/a/p/children/");
  });

  it.each([
    "/nowhere",
    "/clusters/a",
    "/clusters//b",
    "/objects/a/b",
    "/letters/%E0%A4%A/b",
    "/queue/a/b",
    "/objects/a/b/c/others/Machine",
    "//evil.example",
  ])("has no page at %s", (path) => {
    expect(viewOf(path)).toEqual({ page: "missing" });
  });

  it("never leads out of the console, whatever a name is", () => {
    for (const name of ["..", ".", "//evil.example", "\ud800", "javascript:x", "a/../../b"]) {
      const url = new URL(pathOf("objects", "Machine", name, name), "http://console");
      expect([url.origin, url.pathname.split("/").length]).toEqual(["http://console", 5]);
    }
  });

  it("finds the place of a name in a text", () => {
    expect(placeOfText("Cluster default/demo")).toEqual({
      type: "cluster",
      namespace: "default",
      name: "demo",
    });
    expect(placeOfText("MachinePool default/p1")).toMatchObject({
      type: "object",
      kind: "MachinePool",
      name: "p1",
    });
    for (const text of ["timer", "resync", "requeue by ann", "Machine a/b/c", ""])
      expect(placeOfText(text)).toBeUndefined();
  });
});
