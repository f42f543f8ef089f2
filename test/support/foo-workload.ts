import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ApiServer, startApiServer } from "../../infra/playground/apiserver/entry.ts";
import { CANARY } from "./canaries.ts";
import { fooNode } from "./foo-provider.ts";
import { type Kubectl, kubectlFor } from "./processes/kubectl.ts";

/** The workload cluster of FOO_CLUSTER: an API server on loopback, and kubectl for it. */
export interface FooWorkload extends AsyncDisposable {
  readonly server: ApiServer;
  readonly kubectl: Kubectl;
  readonly kubeconfigFile: string;
}

export async function startFooWorkload(): Promise<FooWorkload> {
  const server = await startApiServer({ name: "foo-workload", recordRequests: true });
  const dir = await mkdtemp(join(tmpdir(), "capstan-foo-"));
  const kubeconfigFile = join(dir, "kubeconfig");
  await writeFile(kubeconfigFile, server.kubeconfig(), { mode: 0o600 });
  return {
    server,
    kubeconfigFile,
    kubectl: kubectlFor(kubeconfigFile),
    async [Symbol.asyncDispose]() {
      await server.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Writes by hand, with kubectl, what the controllers of the foo provider and its kubelets would write. */
export async function playFooProvider(kubectl: Kubectl, workload: FooWorkload): Promise<void> {
  await createKubeconfigSecret(kubectl, workload.kubeconfigFile);
  await patch(kubectl, "foocluster/foo", {
    spec: { controlPlaneEndpoint: { host: "127.0.0.1", port: workload.server.port } },
  });
  await patchStatus(kubectl, "foocluster/foo", { initialization: { provisioned: true } });
  await patchStatus(kubectl, "foocontrolplane/foo-cp", { initialization: { controlPlaneInitialized: true } });
  await patchStatus(kubectl, "fooconfig/foo-pool", {
    initialization: { dataSecretCreated: true },
    dataSecretName: "foo-pool-data",
  });
  await patch(kubectl, "foomachinepool/foo-pool", { spec: { providerIDList: ["foo://n1", "foo://n2"] } });
  await patchStatus(kubectl, "foomachinepool/foo-pool", {
    ready: true,
    replicas: 2,
    initialization: { provisioned: true },
  });
  for (const name of ["n1", "n2"]) {
    await workload.kubectl("create -f -", fooNode(name));
    await patchStatus(workload.kubectl, `node/${name}`, {
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }],
    });
  }
}

export async function createKubeconfigSecret(kubectl: Kubectl, kubeconfigFile: string): Promise<void> {
  await kubectl(
    `create secret generic foo-kubeconfig --type=cluster.x-k8s.io/secret --from-file=value=${kubeconfigFile} --from-literal=canary=${CANARY}`,
  );
  await kubectl("label secret foo-kubeconfig cluster.x-k8s.io/cluster-name=foo");
}

export function patch(kubectl: Kubectl, object: string, body: object): Promise<string> {
  return kubectl(`patch ${object} --type=merge -p '${JSON.stringify(body)}'`);
}

export function patchStatus(kubectl: Kubectl, object: string, status: object): Promise<string> {
  return kubectl(`patch ${object} --subresource=status --type=merge -p '${JSON.stringify({ status })}'`);
}
