import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../../shared/api/kinds.ts";
import { convertObject } from "../../../../shared/api/older/convert.ts";
import { OLDER } from "../../../../shared/api/older/table.ts";
import { inShared, sharedMissing } from "../../../support/shared.ts";

const KEPT = "cluster.x-k8s.io/conversion-data";
const V1BETA1 = "cluster.x-k8s.io/v1beta1";
const V1BETA2 = "cluster.x-k8s.io/v1beta2";

interface Vector {
  readonly name: string;
  readonly in: KubeObject;
  readonly to: string;
  readonly out?: KubeObject;
}

/** The look-up of the vectors. */
function lookup(group: string, kind: string): string {
  if (group !== "" && !group.startsWith("unknown")) return `${group}/v9`;
  throw new Error(`failed to map GroupKind ${kind} to version`);
}

/** Ours keeps less in the annotation: it is compared by what it brings back. */
function withoutKept(object: KubeObject): KubeObject {
  const { [KEPT]: _, ...annotations } = object.metadata.annotations ?? {};
  const { annotations: _all, ...metadata } = object.metadata;
  return Object.keys(annotations).length === 0
    ? { ...object, metadata }
    : { ...object, metadata: { ...metadata, annotations } };
}

function outcome({ in: object, to }: Vector): KubeObject | string {
  try {
    return withoutKept(convertObject(object, to, lookup));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const files = [...OLDER].flatMap(([name, versions]) =>
  Object.keys(versions).map((version) => {
    const kind = name.slice(name.indexOf("/") + 1).toLowerCase();
    return kind.startsWith("ipaddress") && version === "v1alpha1" ? `${kind}-${version}` : kind;
  }),
);

describe.skipIf(sharedMissing("data/conversion"))("conversions of Cluster API's own code", () => {
  it.each(files)("of %s are the same here", (file) => {
    const lines = readFileSync(inShared(`data/conversion/${file}.jsonl`), "utf8")
      .trim()
      .split("\n");
    const vectors = lines.map((line) => JSON.parse(line) as Vector);
    const expected = vectors.map(({ name, out }) => [
      name,
      // Which of two bad references is named is not the same.
      out === undefined
        ? expect.stringMatching(/: failed to map GroupKind \S* to version$/)
        : withoutKept(out),
    ]);
    expect(vectors.map((vector) => [vector.name, outcome(vector)])).toEqual(expected);
  });

  it.each(files)("of %s are undone with the annotation of either", (file) => {
    const lines = readFileSync(inShared(`data/conversion/${file}.jsonl`), "utf8")
      .trim()
      .split("\n");
    for (const { in: object, to, out } of lines.map((line) => JSON.parse(line) as Vector)) {
      if (out?.metadata.annotations?.[KEPT] === undefined) continue;
      const ours = convertObject(object, to, lookup);
      const back = convertObject(out, object.apiVersion, lookup);
      expect(convertObject(ours, object.apiVersion, lookup)).toEqual(back);
    }
  });
});

describe("a conversion", () => {
  const metadata = { name: "c1", namespace: "team" };

  it("returns an object of the version that is asked for as it is", () => {
    const object = { apiVersion: V1BETA1, kind: "Cluster", metadata, spec: { unknown: 1 } };
    expect(convertObject(object, V1BETA1, lookup)).toBe(object);
  });

  it("keeps that a flag was given as false, in an annotation, and other annotations", () => {
    const annotated = { ...metadata, annotations: { note: "x" } };
    const object = { apiVersion: V1BETA2, kind: "Cluster", metadata: annotated, spec: { paused: false } };
    const older = convertObject(object, V1BETA1, lookup);
    expect(older.metadata.annotations).toEqual({
      note: "x",
      [KEPT]: '{"kind":"Cluster","apiVersion":"cluster.x-k8s.io/v1beta2","spec":{"paused":false}}',
    });
    expect(convertObject(older, V1BETA2, lookup)).toEqual(object);
  });

  it("takes a field from v1beta1 that a client has changed, not from the annotation", () => {
    const object = { apiVersion: V1BETA2, kind: "Cluster", metadata, spec: { paused: false } };
    const older = convertObject(object, V1BETA1, lookup);
    const paused = { ...older, spec: { ...Reflect.get(older, "spec"), paused: true } };
    expect(convertObject(paused, V1BETA2, lookup)).toMatchObject({ spec: { paused: true } });
  });

  it.each([
    ["Machine", { spec: { nodeDrainTimeout: "5" } }, 'spec.nodeDrainTimeout: "5" is not a duration'],
    ["Machine", { status: { lastUpdated: "" } }, 'status.lastUpdated: "" is not a time'],
    ["Machine", { spec: "x" }, "spec: must be an object"],
    ["MachineSet", { spec: { replicas: "3" } }, "spec.replicas: must be of type integer"],
    [
      "Cluster",
      { spec: { infrastructureRef: { apiVersion: "a/b/c" } } },
      'apiVersion "a/b/c" has more than one "/"',
    ],
    [
      "Cluster",
      { spec: { topology: { workers: { machineDeployments: [{}, { taints: [7] }] } } } },
      "spec.topology.workers.machineDeployments[1].taints[0]: must be an object",
    ],
    ["Cluster", { metadata: { ...metadata, annotations: { [KEPT]: "[" } } }, "is not a JSON object"],
    ["Sphere", {}, "kind Sphere has no version v1beta1 here"],
  ])("of a %s with %j fails by object and field", (kind, more, problem) => {
    const object = { apiVersion: V1BETA1, kind, metadata, ...more };
    expect(() => convertObject(object, V1BETA2, lookup)).toThrow(`${kind} team/c1 of ${V1BETA1}: `);
    expect(() => convertObject(object, V1BETA2, lookup)).toThrow(problem);
  });

  it("of a JSON schema of a thousand levels fails, and does not end the process", () => {
    let schema: object = { type: "string" };
    for (let level = 0; level < 1000; level++) schema = { type: "array", items: schema };
    const spec = { variables: [{ name: "v", schema: { openAPIV3Schema: schema } }] };
    const object = { apiVersion: V1BETA1, kind: "ClusterClass", metadata, spec };
    expect(() => convertObject(object, V1BETA2, lookup)).toThrow("is nested deeper than 64 levels");
  });
});
