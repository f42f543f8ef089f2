import { describe, expect, it } from "vitest";
import { notRun } from "../../../shared/api/refused-kinds.ts";

const CAPI = "cluster.x-k8s.io/v1beta2";

describe("notRun", () => {
  it("says of a ClusterClass what runs it and what to write", () => {
    expect(notRun({ apiVersion: CAPI, kind: "ClusterClass" })).toMatch(
      /^Capstan does not run kind ClusterClass, which needs the manager of Cluster API; write .* instead, or run Capstan beside it \(infra\/guides\/take-over\.md\)$/,
    );
  });

  it("says of an ExtensionConfig that nothing calls it", () => {
    expect(notRun({ apiVersion: "runtime.cluster.x-k8s.io/v1alpha1", kind: "ExtensionConfig" })).toMatch(
      /^Capstan does not run kind ExtensionConfig.*; leave it out/,
    );
  });

  it.each([
    [CAPI, "MachinePool"],
    [CAPI, "MachineSet"],
    [CAPI, "MachineHealthCheck"],
    [CAPI, "MachineDeployment"],
    ["parts.dev/v1", "ClusterClass"],
    [CAPI, "ExtensionConfig"],
    ["ipam.cluster.x-k8s.io/v1beta2", "IPAddressClaim"],
    [CAPI, "constructor"],
  ])("has nothing against %s %s", (apiVersion, kind) => {
    expect(notRun({ apiVersion, kind })).toBeUndefined();
  });
});
