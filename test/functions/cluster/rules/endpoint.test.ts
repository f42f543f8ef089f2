import { describe, expect, it } from "vitest";
import {
  awaitedEndpoint,
  desiredEndpoint,
  isValidEndpoint,
} from "../../../../functions/cluster/rules/endpoint.ts";
import type { ClusterProviders } from "../../../../functions/cluster/rules/providers.ts";
import { cluster, unresolved } from "../../../support/builders.ts";
import { fooCluster, fooControlPlane, found, newCluster } from "../../../support/foo-cluster.ts";

const LATCHED = { initialization: { infrastructureProvisioned: true, controlPlaneInitialized: true } };
const OTHER = { controlPlaneEndpoint: { host: "cp.example.com", port: 1 } };

describe("isValidEndpoint", () => {
  it.each([
    [{ host: "h", port: 1 }, true],
    [{ host: "", port: 1 }, false],
    [{ host: "h", port: 0 }, false],
    [{ host: "h" }, false],
    [{ port: 1 }, false],
    [undefined, false],
  ])("of %o is %s", (endpoint, valid) => {
    expect(isValidEndpoint(endpoint)).toBe(valid);
  });
});

describe("awaitedEndpoint", () => {
  it("is the field of the infra object, or the definition without which it cannot be read", () => {
    const about = (infrastructure: ClusterProviders["infrastructure"]) =>
      awaitedEndpoint(newCluster(), { infrastructure, controlPlane: undefined });
    expect(about(found(fooCluster()))).toBe("InfraCluster.spec.controlPlaneEndpoint");
    expect(about(undefined)).toBe("InfraCluster.spec.controlPlaneEndpoint");
    expect(about(unresolved(false))).toBe(
      "CustomResourceDefinition.metadata.uid of infrastructure.cluster.x-k8s.io/FooCluster",
    );
  });
});

describe("desiredEndpoint", () => {
  it("keeps what is valid, whatever the providers say", () => {
    const providers = { infrastructure: found(fooCluster({ spec: OTHER })), controlPlane: undefined };
    expect(desiredEndpoint(cluster(), providers)).toBe("keep");
  });

  it("reads the flag of a v1beta1 object at its own path", () => {
    const spec = OTHER;
    const legacy = { ...fooCluster({ spec }), status: { ready: true } };
    const providers = (contract: "v1beta1" | "v1beta2") => ({
      infrastructure: found(legacy, contract),
      controlPlane: undefined,
    });
    expect(desiredEndpoint(newCluster(), providers("v1beta1"))).toMatchObject({ host: "cp.example.com" });
    expect(desiredEndpoint(newCluster(), providers("v1beta2"))).toBe("keep");
  });

  it("goes by the latches when the flags went back", () => {
    const latched = newCluster({ status: LATCHED });
    const infrastructure = found(fooCluster({ spec: undefined, status: undefined }));
    const controlPlane = found(fooControlPlane({ spec: OTHER, status: undefined }));
    expect(desiredEndpoint(latched, { infrastructure, controlPlane })).toEqual({
      role: "controlPlane",
      host: "cp.example.com",
      port: 1,
    });
  });
});
