import type { Secret } from "../../../shared/api/core.ts";
import { KubeError, TerminalError } from "../../../shared/function/errors.ts";
import type { Authority, Kubeconfig } from "../../../shared/function/issue.ts";
import type { IssueContext, Issuer } from "../../../shared/runtime/ports.ts";
import { writeYaml } from "../yaml/write-yaml.ts";
import { describeSecret } from "./describe-secret.ts";
import type { Credentials, Pki } from "./pki.ts";

const SECOND_MS = 1_000;
/** Clocks differ. */
const BACKDATED_MS = 5 * 60 * SECOND_MS;

type Data = NonNullable<Secret["data"]>;

/** Makes the keys of Secrets; `pki` is that of the process, or of the simulation. */
export function createIssuer(pki: Pki): Issuer {
  return {
    describe: (secret) => describeSecret(secret, pki),
    async issue(what, context) {
      switch (what.type) {
        case "authority":
          return newAuthority(what, context, pki);
        case "keyPair": {
          const { publicKey, privateKey } = await pki.newKeys();
          return encoded({ "tls.crt": publicKey, "tls.key": privateKey });
        }
        case "kubeconfig":
          return encoded({ value: await newKubeconfig(what, context, pki) });
        default:
          return what satisfies never;
      }
    },
  };
}

async function newAuthority(
  { commonName, validitySeconds }: Authority,
  { now }: IssueContext,
  pki: Pki,
): Promise<Data> {
  const { publicKey, privateKey } = await pki.newKeys();
  const certificate = await pki.sign({
    subject: { commonName },
    publicKey,
    notBefore: wholeSecond(now.getTime() - BACKDATED_MS),
    notAfter: wholeSecond(now.getTime() + validitySeconds * SECOND_MS),
    use: "authority",
    signer: { key: privateKey },
  });
  return encoded({ "tls.crt": certificate, "tls.key": privateKey });
}

async function newKubeconfig(
  { clusterName, server, subject, validitySeconds, authority }: Kubeconfig,
  { now, read }: IssueContext,
  pki: Pki,
): Promise<string> {
  const { notBefore, endsAt, ...signer } = authorityIn(await read(authority), authority, pki);
  const { publicKey, privateKey } = await pki.newKeys();
  const certificate = await pki.sign({
    subject,
    publicKey,
    notBefore,
    notAfter: wholeSecond(Math.min(endsAt, now.getTime() + validitySeconds * SECOND_MS)),
    use: "client",
    signer,
  });
  return kubeconfigText({ clusterName, server, authority: signer.cert, cert: certificate, key: privateKey });
}

/** The authority of a Secret that can sign. Throws TerminalError `KubeconfigNotIssued`, or a lost race when it is gone. */
function authorityIn(
  secret: Secret | undefined,
  { namespace, name }: Kubeconfig["authority"],
  pki: Pki,
): Credentials & { readonly notBefore: Date; readonly endsAt: number } {
  const where = `Secret ${namespace}/${name}`;
  if (secret === undefined) {
    const message = `${where} was deleted meanwhile`;
    throw new KubeError({ class: "Conflict", status: 404, reason: "NotFound", message });
  }
  const { pair } = describeSecret(secret, pki);
  if (pair?.certificate === undefined || pair.privateKey !== "fits") {
    const why = pair?.wrong ?? "key tls.key is missing; write the private key of the authority";
    throw new TerminalError("KubeconfigNotIssued", `${where}: ${why}`);
  }
  const { "tls.crt": cert = "", "tls.key": key = "" } = secret.data ?? {};
  const { notBefore, notAfter } = pair.certificate;
  return {
    cert: textOf(cert),
    key: textOf(key),
    notBefore: new Date(notBefore),
    endsAt: Date.parse(notAfter),
  };
}

interface KubeconfigParts extends Credentials, Pick<Kubeconfig, "clusterName" | "server"> {
  readonly authority: string;
}

/** Names as in the kubeconfigs that Cluster API writes. */
function kubeconfigText({ clusterName, server, authority, cert, key }: KubeconfigParts): string {
  const user = `${clusterName}-admin`;
  const context = `${user}@${clusterName}`;
  const cluster = { server, "certificate-authority-data": base64(authority) };
  const credentials = { "client-certificate-data": base64(cert), "client-key-data": base64(key) };
  return writeYaml({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: clusterName, cluster }],
    users: [{ name: user, user: credentials }],
    contexts: [{ name: context, context: { cluster: clusterName, user } }],
    "current-context": context,
  });
}

/** Certificates know no smaller part of a time. */
function wholeSecond(ms: number): Date {
  return new Date(Math.floor(ms / SECOND_MS) * SECOND_MS);
}

function encoded(texts: { readonly [key: string]: string }): Data {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, base64(text)]));
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

function textOf(value: string): string {
  return Buffer.from(value, "base64").toString("utf8");
}
