import { createIssuer } from "../../infra/platform/pki/issuer.ts";
import { x509 } from "../../infra/platform/pki/x509.ts";
import type { Kubectl } from "./processes/kubectl.ts";

/** Writes the authority of a Cluster, as users do for one without a control plane provider. */
export async function createAuthoritySecret(kubectl: Kubectl, cluster: string): Promise<void> {
  const data = await createIssuer(x509).issue(
    { type: "authority", commonName: "kubernetes", validitySeconds: 3_600 },
    { now: new Date(), read: async () => undefined },
  );
  const metadata = { name: `${cluster}-ca`, labels: { "cluster.x-k8s.io/cluster-name": cluster } };
  await kubectl("apply -f -", JSON.stringify({ apiVersion: "v1", kind: "Secret", metadata, data }));
}
