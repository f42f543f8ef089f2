import type { Machine } from "../../shared/api/machine/machine.ts";
import { fooNode } from "./foo-provider.ts";
import { type FooWorkload, patch, patchStatus } from "./foo-workload.ts";
import type { Kubectl } from "./processes/kubectl.ts";

/** A stand-alone Machine of Cluster foo; its provider objects have its name. `spec` is further YAML of the spec. */
export function fooMachine(name: string, spec = ""): string {
  return `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata: { name: ${name}, namespace: default }
spec:
  clusterName: foo
  version: v1.34.2
  bootstrap: { configRef: { apiGroup: bootstrap.foo.example.com, kind: FooConfig, name: ${name} } }
  infrastructureRef: { apiGroup: infrastructure.foo.example.com, kind: FooMachine, name: ${name} }
  ${spec}
`;
}

export function fooConfig(name: string): string {
  return `
apiVersion: bootstrap.foo.example.com/v1
kind: FooConfig
metadata: { name: ${name}, namespace: default }
spec: {}
`;
}

export function fooInfra(name: string): string {
  return `
apiVersion: infrastructure.foo.example.com/v1
kind: FooMachine
metadata: { name: ${name}, namespace: default }
spec: {}
`;
}

/** The provider has started the instance, under this ID, and made its bootstrap data. */
export async function provide(kubectl: Kubectl, name: string, providerID = `foo://${name}`): Promise<void> {
  await patchStatus(kubectl, `fooconfig/${name}`, {
    initialization: { dataSecretCreated: true },
    dataSecretName: `${name}-data`,
  });
  await patch(kubectl, `foomachine/${name}`, { spec: { providerID } });
  await patchStatus(kubectl, `foomachine/${name}`, {
    initialization: { provisioned: true },
    addresses: [{ type: "InternalIP", address: "10.0.0.1" }],
    failureDomain: "az-1",
  });
}

/** A healthy Node foo://<name>, as its kubelet reports it. */
export async function joinHealthyNode(workload: FooWorkload, name: string): Promise<void> {
  await workload.kubectl("create -f -", fooNode(name));
  const since = "2026-01-01T00:00:00Z";
  const pressures = ["MemoryPressure", "DiskPressure", "PIDPressure"];
  await patchStatus(workload.kubectl, `node/${name}`, {
    conditions: [
      { type: "Ready", status: "True", lastTransitionTime: since },
      ...pressures.map((type) => ({ type, status: "False", lastTransitionTime: since })),
    ],
  });
}

export async function getMachine(kubectl: Kubectl, name: string): Promise<Machine> {
  return JSON.parse(await kubectl(`get machine/${name} -o json`));
}

/** `False NotReady some text` of a condition. */
export function said({ status }: Machine, type: string): string {
  const found = status?.conditions?.find((condition) => condition.type === type);
  return `${found?.status} ${found?.reason} ${found?.message}`;
}
