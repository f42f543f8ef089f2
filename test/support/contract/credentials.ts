import { x509 } from "../../../infra/platform/pki/x509.ts";
import { writeYaml } from "../../../infra/platform/yaml/write-yaml.ts";

const DAY_MS = 24 * 3_600_000;

/** Words that stand in every private value of `credentials`: no output may hold them. */
export const CANARY = "canary-of-a-secret";

interface Life {
  /** Days from now; negative: in the past. */
  readonly fromDays: number;
  readonly toDays: number;
}

const A_YEAR: Life = { fromDays: -1, toDays: 364 };

/** A kubeconfig with a client certificate of this life, and the pair of an authority. */
export async function credentials({ fromDays, toDays }: Life = A_YEAR): Promise<{
  readonly kubeconfig: string;
  readonly pair: { readonly "tls.crt": string; readonly "tls.key": string };
}> {
  const keys = await x509.newKeys();
  const at = (days: number): Date => new Date(Math.floor((Date.now() + days * DAY_MS) / 1_000) * 1_000);
  const cert = await x509.sign({
    subject: { commonName: CANARY },
    publicKey: keys.publicKey,
    notBefore: at(fromDays),
    notAfter: at(toDays),
    use: "authority",
    signer: { key: keys.privateKey },
  });
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const user = { "client-certificate-data": base64(cert), "client-key-data": base64(keys.privateKey) };
  return {
    kubeconfig: kubeconfigOf(user),
    pair: { "tls.crt": cert, "tls.key": keys.privateKey },
  };
}

/** A kubeconfig of one server with this user. */
export function kubeconfigOf(user: { readonly [member: string]: unknown }): string {
  return writeYaml({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: CANARY, cluster: { server: `https://${CANARY}.example.com:6443` } }],
    users: [{ name: CANARY, user }],
    contexts: [{ name: CANARY, context: { cluster: CANARY, user: CANARY } }],
    "current-context": CANARY,
  });
}
