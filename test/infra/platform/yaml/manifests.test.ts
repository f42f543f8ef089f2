import { describe, expect, it } from "vitest";
import { manifests } from "../../../../infra/platform/yaml/manifests.ts";
import type { ConfigMap } from "../../../../shared/api/core.ts";
import { TerminalError } from "../../../../shared/function/errors.ts";
import { manifestMap, manifestSecret, NAMESPACE } from "../../../support/resource-sets.ts";

const namesIn = (data: ConfigMap["data"]) =>
  manifests.objectsIn(manifestMap(data)).map((objects) => objects.map(({ metadata }) => metadata.name));

const thing = (name: string) => `{"apiVersion":"v1","kind":"Thing","metadata":{"name":"${name}"}}`;

function refusal(data: ConfigMap["data"]): string {
  try {
    manifests.objectsIn(manifestMap(data));
  } catch (error) {
    expect(error).toBeInstanceOf(TerminalError);
    return String((error as Error).message);
  }
  return "";
}

describe("manifests in Secrets and ConfigMaps", () => {
  it("are read value by value in the order of their keys: documents, a list of JSON, nothing", () => {
    const documents = `---\n${thing("b")}\n---\n# nothing\n---\n${NAMESPACE}`;
    expect(namesIn({ z: documents, a: `  [${thing("a1")}, ${thing("a2")}]`, m: "" })).toEqual([
      ["a1", "a2"],
      [],
      ["b", "addons"],
    ]);
    expect(manifests.objectsIn(manifestSecret(thing("s")))).toMatchObject([[{ kind: "Thing" }]]);
  });

  it("are known by the digest of their values alone, in whatever they are kept", () => {
    const { hash, type } = manifests.describe(manifestSecret(NAMESPACE));
    expect(hash).toBe(manifests.describe(manifestMap({ other: NAMESPACE })).hash);
    expect(hash).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(type).toBe("addons.cluster.x-k8s.io/resource-set");
    expect(manifests.describe(manifestMap({ a: "1", b: "2" })).hash).toBe(
      manifests.describe(manifestMap({ x: "12" })).hash,
    );
    expect(manifests.describe(manifestMap({})).hash).toBeUndefined();
    const annotated = { ...manifestMap(), metadata: { name: "x", annotations: { last: "canary" } } };
    expect(JSON.stringify(manifests.describe(annotated))).not.toContain("canary");
  });

  it("are refused by the name of their key, and never quoted", () => {
    expect(refusal({ a: "canary: [" })).toBe("key a has no YAML on line 1");
    expect(refusal({ b: "canary" })).toBe("key b has a document without apiVersion, kind or metadata.name");
    expect(refusal({ c: `${thing("x")}\n---\n[[1]]` })).toContain("key c has a document without");
    expect(refusal({ d: Array(502).join(`---\n${thing("x")}\n`) })).toBe(
      "key d has more than 500 objects; split it",
    );
  });

  it.each([
    ["nested lists", "[".repeat(100_000)],
    ["nested maps", "a: ".repeat(100_000)],
    ["explicit keys", "? ".repeat(500_000)],
    [
      "aliases of aliases",
      `a: &a [x]\n${Array.from({ length: 90 }, (_, at) => `b${at}: &b${at} [*${at === 0 ? "a" : `b${at - 1}`}, *${at === 0 ? "a" : `b${at - 1}`}]`).join("\n")}`,
    ],
    ["a mebibyte of lines", "- \n".repeat(349_000)],
    ["a long text", "x".repeat(2 * 1024 * 1024)],
  ])("are refused when hostile: %s", (_, text) => {
    expect(refusal({ a: text })).toMatch(/^key a has /);
  });
});
