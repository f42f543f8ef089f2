import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../../../shared/api/kinds.ts";
import { at, core, foo, said } from "../../../../support/contract/life.ts";

const ENDPOINT = { controlPlaneEndpoint: { host: "a.example.com", port: 6443 } };
const CLUSTER = core("Cluster", "c1", { spec: ENDPOINT });
const TITLE = "FooControlPlane c1";

function judged(spec: object, cluster: KubeObject, early: readonly string[] = []): readonly string[] {
  const life = {
    provisioned: at(cluster, foo("FooControlPlane", "c1", { spec })),
    readyWithoutEndpoint: new Set(early),
  };
  const how = { title: TITLE, contractKind: "ControlPlane" } as const;
  return said(life, { ...how, verdicts: ["pass", "fail", "na", "unknown"] }).filter((one) =>
    one.endsWith("CP-42"),
  );
}

describe("an object whose provider does not supply the endpoint", () => {
  it("waits for that of the Cluster", () => {
    expect(judged({}, CLUSTER)).toEqual(["pass CP-42"]);
    expect(judged({}, CLUSTER, [TITLE])).toEqual(["fail CP-42"]);
    expect(judged({}, core("Cluster", "c1"))).toEqual(["unknown CP-42"]);
  });

  it("is not one that supplies it", () => {
    expect(judged(ENDPOINT, CLUSTER, [TITLE])).toEqual(["na CP-42"]);
    const half = { controlPlaneEndpoint: { host: "", port: 6443 } };
    expect(judged(half, CLUSTER, [TITLE])).toEqual(["fail CP-42"]);
  });
});
