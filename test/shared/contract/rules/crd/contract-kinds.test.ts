import { describe, expect, it } from "vitest";
import {
  contractKindText,
  contractRoleOf,
  readContractRole,
} from "../../../../../shared/contract/rules/crd/contract-kinds.ts";

const INFRA = "infrastructure.cluster.x-k8s.io";

describe("contractRoleOf", () => {
  it.each([
    [INFRA, "AWSMachinePool", "InfraMachinePool"],
    ["vmware.example.dev", "FooMachinePool", "InfraMachinePool"],
    [INFRA, "DockerMachinePoolTemplate", "InfraMachinePoolTemplate"],
    [INFRA, "AzureManagedControlPlane", "ControlPlane"],
    ["controlplane.cluster.x-k8s.io", "KThreesControlPlaneTemplate", "ControlPlaneTemplate"],
    ["vmware.infrastructure.cluster.x-k8s.io", "VSphereCluster", "InfraCluster"],
    [INFRA, "AzureMachinePoolMachine", "InfraMachine"],
    [INFRA, "Metal3MachineTemplate", "InfraMachineTemplate"],
    ["bootstrap.cluster.x-k8s.io", "EKSConfig", "BootstrapConfig"],
    ["ipam.cluster.x-k8s.io", "InClusterIPPool", "IPAMPool"],
    [INFRA, "OpenStackFloatingIPPool", null],
    [INFRA, "ROSARoleConfig", null],
    ["example.dev", "FooCluster", null],
    ["infrastructure-foo.example.dev", "FooMachine", null],
    ["foo.ipam.cluster.x-k8s.io", "FooPool", null],
    ["cluster.x-k8s.io", "MachinePool", null],
    [INFRA, "AWSClusterStaticIdentity", null],
  ])("%s %s is a %s", (group, kind, expected) => {
    expect(contractKindText(contractRoleOf(group, kind))).toBe(expected);
  });

  it("follows the user's choice for a kind and its template", () => {
    const named = new Map([
      [`${INFRA}/OpenStackFloatingIPPool`, { contractKind: "IPAMPool", isTemplate: false } as const],
      [`${INFRA}/FooBox`, { contractKind: "InfraMachine", isTemplate: false } as const],
      [`${INFRA}/FooMachine`, undefined],
    ]);
    const textOf = (kind: string) => contractKindText(contractRoleOf(INFRA, kind, named));
    expect(["OpenStackFloatingIPPool", "FooBox", "FooBoxTemplate", "FooMachine"].map(textOf)).toEqual([
      "IPAMPool",
      "InfraMachine",
      "InfraMachineTemplate",
      null,
    ]);
  });
});

describe("readContractRole", () => {
  it.each([
    ["IPAMPool", "IPAMPool"],
    ["IPAM pool", "IPAMPool"],
    ["imp", "InfraMachinePool"],
    ["ControlPlaneTemplate", "ControlPlaneTemplate"],
    ["none", null],
  ])("%s is %s", (text, expected) => {
    expect(contractKindText(readContractRole(text)?.role)).toBe(expected);
  });

  it("knows no other name", () => {
    expect(readContractRole("MachineDeployment")).toBeUndefined();
  });
});
