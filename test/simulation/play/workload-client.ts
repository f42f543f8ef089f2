import { createServer, type ServerOptions } from "../../../infra/platform/kube/client.ts";
import { parseKubeconfig } from "../../../infra/platform/kube/kubeconfig.ts";
import type { Secret } from "../../../shared/api/core.ts";
import type { KubeClient } from "../../../shared/runtime/ports.ts";

/** Works on the workload server that a kubeconfig Secret leads to. Rejects where that is missing. */
export async function withWorkloadClient(
  secret: Secret | undefined,
  options: ServerOptions,
  work: (client: KubeClient) => Promise<unknown>,
): Promise<void> {
  const text = Buffer.from(secret?.data?.["value"] ?? "", "base64").toString("utf8");
  using server = createServer(parseKubeconfig(text), options);
  await work(server.as("user"));
}
