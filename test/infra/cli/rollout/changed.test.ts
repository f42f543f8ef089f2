import { describe, expect, it } from "vitest";
import { withFields, withManifest } from "../../../../infra/cli/rollout/changed.ts";
import { machineDeployment } from "../../../support/foo-deployments.ts";

const PRESENT = machineDeployment();

describe("a deployment with other values", () => {
  it("has them where the short names say; the rest stays", () => {
    const { spec } = withFields(PRESENT, [
      "version=v1.35.0",
      "replicas=5",
      "maxSurge=20%",
      "paused=true",
      "infrastructure=t2",
    ]);
    expect(spec).toEqual({
      ...PRESENT.spec,
      ...{ replicas: 5, paused: true },
      rollout: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "20%", maxUnavailable: 0 } } },
      template: {
        ...PRESENT.spec.template,
        spec: {
          ...PRESENT.spec.template.spec,
          version: "v1.35.0",
          infrastructureRef: { ...PRESENT.spec.template.spec.infrastructureRef, name: "t2" },
        },
      },
    });
  });

  it("refuses fields that it does not know", () => {
    for (const text of ["foo=1", "version", "=1", "toString=1"])
      expect(() => withFields(PRESENT, [text]), text).toThrow("write FIELD=VALUE");
  });

  it("has what a file says, also one of v1beta1", () => {
    const metadata = { name: "d1", namespace: "default" };
    const spec = {
      clusterName: "c1",
      template: { spec: { clusterName: "c1", version: "v1.35.0" } },
      rolloutAfter: "2027-01-01T00:00:00Z",
    };
    const object = { apiVersion: "cluster.x-k8s.io/v1beta1", kind: "MachineDeployment", metadata, spec };
    const changed = withManifest(PRESENT, [{ object }], "md.yaml");
    expect(changed.spec.template.spec).toEqual({ ...PRESENT.spec.template.spec, version: "v1.35.0" });
    expect(changed.spec.rollout?.after).toBe("2027-01-01T00:00:00Z");
    expect(() => withManifest(PRESENT, [], "md.yaml")).toThrow("md.yaml has no MachineDeployment default/d1");
  });
});
