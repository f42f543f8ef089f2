import type { Machine } from "../../shared/api/machine/machine.ts";
import { compareText, conditionOf } from "../../shared/rules/conditions/conditions.ts";
import { type FooScene, joinNodes } from "./foo-pools.ts";
import { patchStatus } from "./foo-workload.ts";
import type { Kubectl } from "./processes/kubectl.ts";

/** A stand-alone worker Machine of Cluster foo, with provider objects of its name; `metadata` is YAML flow content. */
export function fooMachine(name: string, metadata = ""): string {
  return `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata: { name: ${name}, namespace: default, ${metadata} }
spec:
  clusterName: foo
  bootstrap: { configRef: { apiGroup: bootstrap.foo.example.com, kind: FooConfig, name: ${name} } }
  infrastructureRef: { apiGroup: infrastructure.foo.example.com, kind: FooMachine, name: ${name} }
---
apiVersion: infrastructure.foo.example.com/v1
kind: FooMachine
metadata: { name: ${name}, namespace: default }
spec: { providerID: "foo://${name}" }
---
apiVersion: bootstrap.foo.example.com/v1
kind: FooConfig
metadata: { name: ${name}, namespace: default }
spec: {}
`;
}

/** Makes a Machine and, as its provider and its kubelet, everything that it needs to be Running. */
export async function runFooMachine(
  { kubectl, workload }: FooScene,
  name: string,
  metadata = "",
): Promise<void> {
  await kubectl("apply -f -", fooMachine(name, metadata));
  const initialization = { dataSecretCreated: true };
  await patchStatus(kubectl, `fooconfig/${name}`, { initialization, dataSecretName: `${name}-data` });
  await patchStatus(kubectl, `foomachine/${name}`, { initialization: { provisioned: true } });
  await joinNodes(workload, [name]);
  await kubectl(
    `wait machines.cluster.x-k8s.io/${name} --for=jsonpath={.status.phase}=Running --timeout=240s`,
  );
}

export async function getMachine(kubectl: Kubectl, name: string): Promise<Machine> {
  return JSON.parse(await kubectl(`get machines.cluster.x-k8s.io/${name} -o json`));
}

/** `True DrainingNode some text` of the condition Deleting. */
export async function deletingText(kubectl: Kubectl, name: string): Promise<string> {
  const { status } = await getMachine(kubectl, name);
  const found = conditionOf(status?.conditions, "Deleting");
  return `${found?.status} ${found?.reason} ${found?.message}`;
}

interface ManagedEntry {
  readonly manager: string;
  readonly fieldsV1: {
    readonly "f:status"?: { readonly "f:conditions"?: { readonly [element: string]: object } };
  };
}

/** The field managers that say the reason of the condition Deleting, sorted. */
export async function deletingWriters(kubectl: Kubectl, name: string): Promise<readonly string[]> {
  const text = await kubectl(`get machines.cluster.x-k8s.io/${name} -o json --show-managed-fields`);
  const entries: readonly ManagedEntry[] = JSON.parse(text).metadata.managedFields;
  return entries
    .filter(({ fieldsV1 }) => {
      const fields = fieldsV1["f:status"]?.["f:conditions"]?.['k:{"type":"Deleting"}'] ?? {};
      return "f:reason" in fields;
    })
    .map(({ manager }) => manager)
    .toSorted(compareText);
}

/** Reasons of the Events about a Machine, each once, sorted. */
export async function machineEvents(kubectl: Kubectl, name: string): Promise<readonly string[]> {
  const text = await kubectl(
    `get events --field-selector involvedObject.kind=Machine,involvedObject.name=${name} -o jsonpath={.items[*].reason}`,
  );
  return [...new Set(text.split(" "))].filter((reason) => reason !== "").toSorted(compareText);
}

/** A Pod on a Node that a budget covers, and the budget with as many disruptions as it allows. */
export async function placePod(workload: Kubectl, node: string): Promise<void> {
  await workload(
    "apply -f -",
    `
apiVersion: v1
kind: Pod
metadata: { name: web-${node}, namespace: default, labels: { app: web-${node} } }
spec: { nodeName: ${node}, containers: [{ name: web, image: web }] }
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: budget-${node}, namespace: default }
spec: { minAvailable: 1, selector: { matchLabels: { app: web-${node} } } }
`,
  );
  // Budgets do not count for a Pod that has not started.
  const conditions = [{ type: "Ready", status: "True" }];
  await patchStatus(workload, `pod/web-${node}`, { phase: "Running", conditions });
  await allowDisruptions(workload, node, 0);
}

/** Reports as a disruption controller does. */
export function allowDisruptions(
  workload: Kubectl,
  node: string,
  disruptionsAllowed: number,
): Promise<string> {
  return patchStatus(workload, `pdb/budget-${node}`, {
    disruptionsAllowed,
    currentHealthy: 1,
    desiredHealthy: 1,
    expectedPods: 1,
    observedGeneration: 1,
  });
}
