import { createIssuer } from "../../infra/platform/pki/issuer.ts";
import { x509 } from "../../infra/platform/pki/x509.ts";
import { Secret } from "../../shared/api/core.ts";
import { apiVersionOf, type ObjectKey } from "../../shared/api/kinds.ts";
import { ISSUED_SECRET_TYPE, type Kubeconfig } from "../../shared/function/issue.ts";

const issuer = createIssuer(x509);

/** Secret `<cluster>-ca` with an authority of its own. */
export async function newAuthority({ namespace, name }: ObjectKey): Promise<Secret> {
  const what = { type: "authority", commonName: "kubernetes", validitySeconds: 86_400 } as const;
  const data = await issuer.issue(what, { now: new Date(), read: async () => undefined });
  const metadata = {
    namespace,
    name: `${name}-ca`,
    labels: { "cluster.x-k8s.io/cluster-name": name },
  };
  return { apiVersion: apiVersionOf(Secret), kind: Secret.kind, metadata, type: ISSUED_SECRET_TYPE, data };
}

/** The text of an administrator's kubeconfig that an authority signs. */
export async function kubeconfigBy(
  authority: Secret,
  wanted: Pick<Kubeconfig, "server"> & Partial<Kubeconfig>,
  now = new Date(),
): Promise<string> {
  const { value = "" } = await issuer.issue(
    {
      type: "kubeconfig",
      clusterName: "c1",
      subject: { commonName: "kubernetes-admin", organization: "system:masters" },
      validitySeconds: 3_600,
      authority: { namespace: authority.metadata.namespace ?? "", name: authority.metadata.name },
      ...wanted,
    },
    { now, read: async () => authority },
  );
  return Buffer.from(value, "base64").toString("utf8");
}
