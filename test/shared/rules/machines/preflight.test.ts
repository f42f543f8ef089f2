import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import type { MachineSet } from "../../../../shared/api/machineset.ts";
import type { Referenced } from "../../../../shared/contract/referenced.ts";
import { preflight } from "../../../../shared/rules/machines/preflight.ts";
import {
  cluster,
  found,
  merge,
  missing,
  type Overrides,
  type ProviderObject,
  unresolved,
} from "../../../support/builders.ts";
import { bootstrapTemplate, machineSet } from "../../../support/foo-sets.ts";

const SKIP = "machineset.cluster.x-k8s.io/skip-preflight-checks";

function controlPlane(overrides: Overrides<ProviderObject> = {}): ProviderObject {
  return merge<ProviderObject>(
    {
      apiVersion: "controlplane.cluster.x-k8s.io/v1",
      kind: "FooControlPlane",
      metadata: { name: "c1-control-plane", namespace: "default", uid: "uid-cp", resourceVersion: "9" },
      spec: { version: "v1.34.1" },
      status: { versions: [{ version: "v1.34.1", replicas: 3 }] },
    },
    overrides,
  );
}

interface Given {
  readonly version?: string;
  readonly set?: Overrides<MachineSet>;
  readonly of?: Overrides<Cluster>;
  readonly template?: Overrides<ProviderObject>;
  readonly answer?: Referenced;
}

function messages({ version, set = {}, of = {}, template = {}, answer = found(controlPlane()) }: Given) {
  const versioned: Overrides<MachineSet> = { spec: { template: { spec: { version } } } };
  return preflight({
    set: merge<MachineSet>(machineSet(versioned), set),
    cluster: cluster(of),
    controlPlane: answer,
    templates: { bootstrap: found(bootstrapTemplate(template)) },
  });
}

const WHO = "FooControlPlane default/c1-control-plane";
const TOPOLOGY: Overrides<Cluster> = {
  spec: { topology: { classRef: { name: "quick" }, version: "v1.34.1" } } as Overrides<Cluster["spec"]>,
};

describe("preflight checks", () => {
  it("pass with a stable control plane of the same version, or none", () => {
    expect(messages({ version: "v1.34.1" })).toEqual([]);
    expect(messages({ version: "1.31.0" })).toEqual([]);
    expect(messages({})).toEqual([]);
    expect(
      messages({ of: { spec: { controlPlaneRef: undefined } }, answer: missing(controlPlane()) }),
    ).toEqual([]);
    expect(
      messages({ answer: found(controlPlane({ spec: { version: undefined }, status: undefined })) }),
    ).toEqual([]);
  });

  it.each([
    ["is provisioning", { status: { versions: [] } }],
    ["is upgrading", { status: { versions: [{ version: "v1.33.0" }, { version: "v1.34.1" }] } }],
    [
      "is upgrading",
      { spec: { version: "v1.34.1+build.2" }, status: { versions: [{ version: "v1.34.1+build.1" }] } },
    ],
    ["is upgrading", { status: { versions: undefined, version: "v1.33.0" } }],
  ])("ControlPlaneIsStable says that it %s", (what, overrides: Overrides<ProviderObject>) => {
    expect(messages({ answer: found(controlPlane(overrides)) })).toEqual([
      `${WHO} ${what} ("ControlPlaneIsStable" preflight check failed)`,
    ]);
  });

  it("ControlPlaneIsStable waits for the version of the topology, or that of the upgrade step", () => {
    expect(messages({ of: TOPOLOGY })).toEqual([]);
    const newer = { spec: { topology: { version: "v1.35.0" } } } as Overrides<Cluster>;
    const pending = merge(TOPOLOGY, newer as Overrides<typeof TOPOLOGY>);
    expect(messages({ of: pending })).toEqual([
      `${WHO} has a pending version upgrade to v1.35.0 ("ControlPlaneIsStable" preflight check failed)`,
    ]);
    const stepTo = (version: string) =>
      merge(pending, {
        metadata: { annotations: { "topology.internal.cluster.x-k8s.io/upgrade-step": version } },
      } as Overrides<typeof TOPOLOGY>);
    expect(messages({ of: stepTo("v1.34.2") })).toEqual([
      `${WHO} has a pending version upgrade to v1.34.2 ("ControlPlaneIsStable" preflight check failed)`,
    ]);
    expect(messages({ of: stepTo("v1.34.1") })).toEqual([]);
  });

  it.each([
    ["v1.33.2-k0s.0", "v1.33.2-k0s.0", "v1.33.2", undefined],
    ["v1.33.2+rke2r1", "v1.33.2+rke2r1", "v1.33.2+rke2r1", undefined],
    ["v1.33.2+rke2r2", "v1.33.2+rke2r1", "v1.33.2+rke2r1", "is upgrading"],
    ["v1.33", "v1.33", "v1.33.2", undefined],
    ["1.33", "1.33", "1.33.2", undefined],
    ["v1.33", "v1.33.2-eks-4a3b2c1", "v1.33.2", undefined],
    ["v1.33.0", "v1.32", "v1.33.0", "is upgrading"],
    ["v1.33.0", "new", "v1.33.0", "reports version new, which is not a semantic version"],
  ])("read the versions of any distribution: %s, reported %s, for %s", (version, reported, of, problem) => {
    const answer = found(
      controlPlane({ spec: { version }, status: { versions: undefined, version: reported } }),
    );
    expect(messages({ version: of, answer })).toEqual(
      problem === undefined ? [] : [`${WHO} ${problem} ("ControlPlaneIsStable" preflight check failed)`],
    );
  });

  it.each([
    ["v1.35.0", "higher than ControlPlane version", "1.35.0"],
    ["v1.30.9", "more than 3 minor versions older than the ControlPlane version", "1.30.9"],
  ])("KubernetesVersionSkew refuses %s as %s", (version, why, shown) => {
    expect(messages({ version })).toEqual([
      `MachineSet version (${shown}) and ControlPlane version (1.34.1) do not conform to the kubernetes version skew policy as MachineSet version is ${why} ("KubernetesVersionSkew" preflight check failed)`,
    ]);
  });

  it("KubeadmVersionSkew wants the same minor version of kubeadm alone", () => {
    const configRef = { kind: "KubeadmConfigTemplate" };
    const set: Overrides<MachineSet> = { spec: { template: { spec: { bootstrap: { configRef } } } } };
    expect(messages({ version: "v1.33.0", set })).toEqual([
      'MachineSet version (1.33.0) and ControlPlane version (1.34.1) do not conform to kubeadm version skew policy as kubeadm only supports joining with the same major+minor version as the control plane ("KubeadmVersionSkew" preflight check failed)',
    ]);
    expect(messages({ version: "v1.34.0", set })).toEqual([]);
  });

  it("ControlPlaneVersionSkew wants the same version where a topology runs", () => {
    expect(messages({ version: "v1.34.0", of: TOPOLOGY })).toEqual([
      'MachineSet version (v1.34.0) is not yet the same as the ControlPlane version (v1.34.1), waiting for version to be propagated to the MachineSet ("ControlPlaneVersionSkew" preflight check failed)',
    ]);
  });

  it("are skipped by name on the set, or on its bootstrap template where the set names none", () => {
    const version = "v1.35.0";
    const skip = (names: string) => ({ metadata: { annotations: { [SKIP]: names } } });
    expect(messages({ version, set: skip("All") })).toEqual([]);
    expect(messages({ version, set: skip("KubeadmVersionSkew, KubernetesVersionSkew") })).toEqual([]);
    expect(messages({ version, set: skip("KubeadmVersionSkew") })).toHaveLength(1);
    expect(messages({ version, template: skip("KubernetesVersionSkew") })).toEqual([]);
    expect(messages({ version, set: skip("KubeadmVersionSkew"), template: skip("All") })).toHaveLength(1);
  });

  it.each([
    ["a control plane object that is missing", {}, missing(controlPlane()), `${WHO} does not exist`],
    ["one that cannot be read", {}, unresolved(true), "CRD of Foo cannot be used"],
    [
      "a version that cannot be read",
      {},
      found(controlPlane({ spec: { version: "latest" } })),
      `${WHO} spec.version latest is not a semantic version`,
    ],
    [
      "a version of another type",
      {},
      found(controlPlane({ spec: { version: 5 } })),
      `${WHO}: spec.version is not a string`,
    ],
    [
      "a version of the set that cannot be read",
      { version: "latest" },
      found(controlPlane()),
      "spec.template.spec.version latest is not a semantic version",
    ],
  ])("are blocked by %s", (_, more, answer, message) => {
    expect(messages({ ...more, answer })).toEqual([message]);
  });
});
