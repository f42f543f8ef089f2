import { describe, expect, it } from "vitest";
import { notRun } from "../../../../shared/rules/coexistence/kinds-not-run.ts";

const CAPI = "cluster.x-k8s.io/v1beta2";

describe("notRun", () => {
  it.each(["ClusterClass", "MachineDeployment"])("says of %s what runs it and what to write", (kind) => {
    expect(notRun({ apiVersion: CAPI, kind })).toMatch(
      new RegExp(
        `^Capstan does not run kind ${kind}, which needs the manager of Cluster API; write .* instead, or run Capstan beside it \\(infra/guides/take-over\\.md\\)$`,
      ),
    );
  });

  it.each([
    [CAPI, "MachinePool"],
    [CAPI, "MachineSet"],
    [CAPI, "MachineHealthCheck"],
    ["parts.dev/v1", "MachineDeployment"],
    [CAPI, "constructor"],
  ])("has nothing against %s %s", (apiVersion, kind) => {
    expect(notRun({ apiVersion, kind })).toBeUndefined();
  });
});
