import { createIssuer } from "../../infra/platform/pki/issuer.ts";
import { x509 } from "../../infra/platform/pki/x509.ts";
import { Secret } from "../../shared/api/core.ts";
import { apiVersionOf } from "../../shared/api/kinds.ts";
import { round } from "./capstan-process.ts";

const KUBECONFIGS = 1_000;
const MICROSECONDS = 1_000_000;
const DAY_SECONDS = 24 * 60 * 60;

/**
 * CPU of this process for the kubeconfigs of as many Clusters, each with an authority of its own: the summary of the
 * authority that a step reads, key, certificate and text. Requests are not included.
 */
export async function kubeconfigsCost(): Promise<{
  readonly kubeconfigs: number;
  readonly cpuSeconds: number;
}> {
  const issuer = createIssuer(x509);
  const now = new Date();
  const authorities: Secret[] = [];
  for (let at = 0; at < KUBECONFIGS; at += 1) {
    const what = {
      type: "authority",
      commonName: "kubernetes",
      validitySeconds: 3_650 * DAY_SECONDS,
    } as const;
    const data = await issuer.issue(what, { now, read: async () => undefined });
    const metadata = { name: `c${at}-ca`, namespace: "default" };
    authorities.push({ apiVersion: apiVersionOf(Secret), kind: Secret.kind, metadata, data });
  }
  const before = process.cpuUsage();
  for (const [at, authority] of authorities.entries()) {
    issuer.describe(authority);
    await issuer.issue(
      {
        type: "kubeconfig",
        clusterName: `c${at}`,
        server: "https://10.0.0.1:6443",
        subject: { commonName: "kubernetes-admin", organization: "system:masters" },
        validitySeconds: 365 * DAY_SECONDS,
        authority: { namespace: "default", name: authority.metadata.name },
      },
      { now, read: async () => authority },
    );
  }
  const { user, system } = process.cpuUsage(before);
  return { kubeconfigs: KUBECONFIGS, cpuSeconds: round((user + system) / MICROSECONDS) };
}
