import { describe, expect, it } from "vitest";
import { notRun } from "../../../../shared/rules/coexistence/kinds-not-run.ts";

const CAPI = "cluster.x-k8s.io/v1beta2";

describe("notRun", () => {
  it("says of a ClusterClass what runs it and what to write", () => {
    expect(notRun({ apiVersion: CAPI, kind: "ClusterClass" })).toMatch(
      /^Capstan does not run kind ClusterClass, which needs the manager of Cluster API; write .* instead, or run Capstan beside it \(infra\/guides\/take-over\.md\)$/,
    );
  });

  it.each([
    [CAPI, "MachinePool"],
    [CAPI, "MachineSet"],
    [CAPI, "MachineHealthCheck"],
    [CAPI, "MachineDeployment"],
    ["parts.dev/v1", "ClusterClass"],
    [CAPI, "constructor"],
  ])("has nothing against %s %s", (apiVersion, kind) => {
    expect(notRun({ apiVersion, kind })).toBeUndefined();
  });
});
