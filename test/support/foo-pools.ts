import type { Running } from "../../infra/cli/compose.ts";
import type { MachinePool } from "../../shared/api/machinepool.ts";
import { compareText } from "../../shared/rules/conditions/conditions.ts";
import { startCapstan } from "./capstan.ts";
import { FOO_CLUSTER, FOO_PROVIDER, fooNode } from "./foo-provider.ts";
import { type FooWorkload, patch, patchStatus, playFooProvider, startFooWorkload } from "./foo-workload.ts";
import type { ServerFlavour } from "./processes/api-servers.ts";
import type { AuditedRequest } from "./processes/audit-log.ts";
import { type Kubectl, kubectlFor } from "./processes/kubectl.ts";

/** The same provider under the older contract: its kinds are called Old…. */
const OLD_PROVIDER = FOO_PROVIDER.replaceAll("foo", "old")
  .replaceAll("Foo", "Old")
  .replaceAll("cluster.x-k8s.io/v1beta2: v1", "cluster.x-k8s.io/v1beta1: v1");

/** Contract versions and what the provider's kinds under each are called. */
export const CONTRACTS = [
  ["v1beta1", "old"],
  ["v1beta2", "foo"],
] as const;
type Provider = (typeof CONTRACTS)[number][1];

/** Cluster `foo` with its pool `foo-pool` Running, and Capstan's relay and worker without any provider. */
export interface FooScene extends AsyncDisposable {
  /** Of the management cluster. */
  readonly kubeconfigFile: string;
  readonly kubectl: Kubectl;
  readonly workload: FooWorkload;
  readonly capstan: Running;
  /** Every request to the management server so far, in order. */
  requests(): Promise<readonly AuditedRequest[]>;
}

export async function startFooScene(flavour: ServerFlavour): Promise<FooScene> {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await flavour.start());
  const { kubeconfigFile } = server;
  const workload = stack.use(await startFooWorkload());
  const kubectl = kubectlFor(kubeconfigFile);
  const capstan = stack.use(await startCapstan(kubeconfigFile, { roles: ["relay", "worker"] }));
  await kubectl("apply -f -", `${FOO_PROVIDER}---${OLD_PROVIDER}`);
  await kubectl("wait crd --all --for=condition=Established --timeout=240s");
  await kubectl("apply -f -", FOO_CLUSTER);
  await playFooProvider(kubectl, workload);
  await kubectl("wait machinepool/foo-pool --for=jsonpath={.status.phase}=Running --timeout=240s");
  const owned = stack.move();
  return {
    kubeconfigFile,
    kubectl,
    workload,
    capstan,
    requests: () => server.requests(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** A pool of Cluster foo with the provider objects of its name; `spec` and `template` are YAML flow content. */
export function fooPool(
  name: string,
  { provider = "foo" as Provider, metadata = "", spec = "replicas: 1", template = "" } = {},
): string {
  const kind = provider === "foo" ? "Foo" : "Old";
  return `
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachinePool
metadata: { name: ${name}, namespace: default, ${metadata} }
spec:
  clusterName: foo
  ${spec}
  template:
    spec:
      clusterName: foo
      bootstrap: { configRef: { apiGroup: bootstrap.${provider}.example.com, kind: ${kind}Config, name: ${name} } }
      infrastructureRef: { apiGroup: infrastructure.${provider}.example.com, kind: ${kind}MachinePool, name: ${name} }
      ${template}
---
apiVersion: infrastructure.${provider}.example.com/v1
kind: ${kind}MachinePool
metadata: { name: ${name}, namespace: default }
spec: {}
---
apiVersion: bootstrap.${provider}.example.com/v1
kind: ${kind}Config
metadata: { name: ${name}, namespace: default }
spec: {}
`;
}

/** The provider reports these instances as running. */
export async function listInstances(
  kubectl: Kubectl,
  name: string,
  providerIDs: readonly string[],
  provider: Provider = "foo",
): Promise<void> {
  const object = `${provider}machinepool/${name}`;
  await patch(kubectl, object, { spec: { providerIDList: providerIDs } });
  await patchStatus(kubectl, object, { ready: true, replicas: providerIDs.length });
}

/** The bootstrap object has made this Secret, in the words of its contract. */
export function nameSecret(
  kubectl: Kubectl,
  name: string,
  secret: string,
  provider: Provider,
): Promise<string> {
  const flag = provider === "foo" ? { initialization: { dataSecretCreated: true } } : { ready: true };
  return patchStatus(kubectl, `${provider}config/${name}`, { ...flag, dataSecretName: secret });
}

/** Nodes foo://<name> that have been Ready since then. */
export async function joinNodes(
  workload: FooWorkload,
  names: readonly string[],
  since = "2026-01-01T00:00:00Z",
): Promise<void> {
  await workload.kubectl("create -f -", names.map(fooNode).join("---"));
  for (const name of names) {
    await patchStatus(workload.kubectl, `node/${name}`, {
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: since }],
    });
  }
}

export async function getPool(kubectl: Kubectl, name: string): Promise<MachinePool> {
  return JSON.parse(await kubectl(`get machinepool/${name} -o json`));
}

/** `False NotReady some text` of a condition. */
export function conditionText({ status }: MachinePool, type: string): string {
  const found = status?.conditions?.find((condition) => condition.type === type);
  return `${found?.status} ${found?.reason} ${found?.message}`;
}

/** Reasons of the Events about a pool, each once, sorted. */
export async function eventReasons(kubectl: Kubectl, pool: string): Promise<readonly string[]> {
  const text = await kubectl(
    `get events --field-selector involvedObject.kind=MachinePool,involvedObject.name=${pool} -o jsonpath={.items[*].reason}`,
  );
  return [...new Set(text.split(" "))].filter((reason) => reason !== "").toSorted(compareText);
}
