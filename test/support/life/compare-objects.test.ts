import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import { differencesOf } from "./compare-objects.ts";

const worker = (name: string, uid: string, changes: object = {}): KubeObject =>
  ({
    apiVersion: "cluster.x-k8s.io/v1beta2",
    kind: "Machine",
    metadata: {
      name,
      uid,
      generation: 2,
      labels: { "cluster.x-k8s.io/deployment-name": "workers" },
      ownerReferences: [{ kind: "MachineSet", name: "workers-abcde", uid: `${uid}-set` }],
    },
    status: {
      observedGeneration: 2,
      nodeRef: { name },
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: `2026-01-01T00:00:0${uid}Z` }],
      ...changes,
    },
  }) as unknown as KubeObject;

describe("final objects of two worlds", () => {
  it("are the same but for random names, times and versions, in any number", () => {
    const upstream = [worker("workers-abcde-xxxxx", "1")];
    const here = [worker("workers-fghij-yyyyy", "2"), worker("workers-fghij-zzzzz", "3")].map((machine) =>
      JSON.parse(JSON.stringify(machine).replaceAll("workers-abcde", "workers-fghij")),
    );
    const set = (name: string): KubeObject =>
      ({ apiVersion: "cluster.x-k8s.io/v1beta2", kind: "MachineSet", metadata: { name } }) as KubeObject;
    expect(differencesOf([set("workers-abcde"), ...upstream], [set("workers-fghij"), ...here])).toEqual([]);
  });

  it("differ by field, with all values of a role", () => {
    const changed = { observedGeneration: 1, phase: "Running" };
    expect(differencesOf([worker("a", "1")], [worker("a", "1", changed)])).toEqual([
      { field: "worker Machine status.observedGeneration", upstream: '"current"', here: '"older"' },
      { field: "worker Machine status.phase", upstream: "absent", here: '"Running"' },
    ]);
  });
});
