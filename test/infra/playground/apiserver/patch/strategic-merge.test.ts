import { describe, expect, it } from "vitest";
import type { Json } from "../../../../../infra/playground/apiserver/objects/json.ts";
import { applyStrategicMerge } from "../../../../../infra/playground/apiserver/patch/strategic-merge.ts";

const POD: Json = {
  metadata: { finalizers: ["a", "b"], labels: { x: "1" } },
  spec: {
    containers: [
      { name: "one", image: "i1", env: [{ name: "A", value: "1" }] },
      { name: "two", image: "i2" },
    ],
    tolerations: [{ key: "k" }],
    volumes: [{ name: "v", emptyDir: {} }],
  },
  status: { conditions: [{ type: "Ready", status: "True" }] },
};

function spec(patch: Json): Json {
  return (applyStrategicMerge(POD, { spec: patch }) as { readonly spec: Json }).spec;
}

function namesOf(list: Json): Json[] {
  return (list as readonly { readonly name: string }[]).map((item) => item.name);
}

describe("strategic merge patch", () => {
  it("merges containers, env and conditions by their key", () => {
    expect(
      spec({ containers: [{ name: "one", env: [{ name: "B", value: "2" }] }, { name: "three" }] }),
    ).toMatchObject({
      containers: [
        {
          name: "one",
          image: "i1",
          env: [
            { name: "B", value: "2" },
            { name: "A", value: "1" },
          ],
        },
        { name: "three" },
        { name: "two", image: "i2" },
      ],
    });
    const patched = applyStrategicMerge(POD, {
      status: { conditions: [{ type: "Ready", status: "False" }] },
    });
    expect(patched).toMatchObject({ status: { conditions: [{ type: "Ready", status: "False" }] } });
  });

  it("replaces lists without a key and removes on null", () => {
    expect(spec({ tolerations: [{ key: "z" }], volumes: null })).toEqual({
      containers: (POD as { readonly spec: { readonly containers: Json } }).spec.containers,
      tolerations: [{ key: "z" }],
    });
  });

  it("deletes and replaces by directive", () => {
    const deleted = spec({ containers: [{ name: "one", $patch: "delete" }] }) as {
      readonly containers: Json;
    };
    expect(namesOf(deleted.containers)).toEqual(["two"]);
    const replaced = spec({ containers: [{ $patch: "replace" }, { name: "three" }] }) as {
      readonly containers: Json;
    };
    expect(replaced.containers).toEqual([{ name: "three" }]);
    expect(applyStrategicMerge(POD, { metadata: { labels: { $patch: "replace", y: "2" } } })).toMatchObject({
      metadata: { finalizers: ["a", "b"], labels: { y: "2" } },
    });
    expect(applyStrategicMerge({ a: { b: 1 } }, { a: { $patch: "delete" } })).toEqual({ a: {} });
  });

  it("keeps only the keys that retainKeys names", () => {
    const patched = spec({
      volumes: [{ name: "v", $retainKeys: ["name", "hostPath"], hostPath: { path: "/" } }],
    });
    expect(patched).toMatchObject({ volumes: [{ name: "v", hostPath: { path: "/" } }] });
    expect(JSON.stringify(patched)).not.toContain("emptyDir");
  });

  it("puts new members in front of those of the server", () => {
    const patched = spec({ containers: [{ name: "new" }, { name: "two" }] }) as { readonly containers: Json };
    expect(namesOf(patched.containers)).toEqual(["new", "one", "two"]);
  });

  it("orders lists as the client asks", () => {
    const patched = spec({
      "$setElementOrder/containers": [{ name: "two" }, { name: "one" }],
      containers: [{ name: "two", image: "new" }],
    }) as { readonly containers: Json };
    expect(namesOf(patched.containers)).toEqual(["two", "one"]);
  });

  it("merges finalizers as a set and deletes from it", () => {
    const patched = applyStrategicMerge(POD, {
      metadata: { finalizers: ["c", "b"], "$deleteFromPrimitiveList/finalizers": ["a"] },
    });
    expect(patched).toMatchObject({ metadata: { finalizers: ["c", "b"] } });
    expect(
      applyStrategicMerge(POD, { metadata: { "$deleteFromPrimitiveList/finalizers": ["b"] } }),
    ).toMatchObject({
      metadata: { finalizers: ["a"] },
    });
  });

  it("refuses unknown directives and members without key", () => {
    expect(() => applyStrategicMerge(POD, { spec: { $patch: "bogus" } })).toThrow("unknown patch type");
    expect(() => spec({ containers: [{ image: "x" }] })).toThrow("merge key: name");
    expect(() => spec({ $retainKeys: ["a"], b: 1 })).toThrow("retainKeys");
    expect(() => applyStrategicMerge(POD, [])).toThrow("not an object");
  });
});
