import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Principal } from "./iam.ts";

/** The authenticator of EKS: it reviews tokens, and checks as STS does which role has signed them. */
interface EksAuthenticator extends AsyncDisposable {
  /** The kubeconfig by which an API server reaches it (`--authentication-token-webhook-config-file`). */
  readonly kubeconfig: string;
  /** Lets a role in, as an access entry does. */
  admit(principal: Principal, groups: readonly string[]): void;
  /** Why tokens were refused. */
  readonly refusals: readonly string[];
}

/** Source: https://github.com/kubernetes-sigs/aws-iam-authenticator, pkg/token */
export async function startEksAuthenticator(clusterName: string): Promise<EksAuthenticator> {
  const entries = new Map<string, { readonly principal: Principal; readonly groups: readonly string[] }>();
  const refusals: string[] = [];
  const userOf = (token: string) => {
    const url = new URL(Buffer.from(token.replace(/^k8s-aws-v1\./, ""), "base64url").toString());
    const [accessKeyId = ""] = url.searchParams.get("X-Amz-Credential")?.split("/") ?? [];
    const entry = entries.get(accessKeyId);
    if (entry === undefined) throw new Error(`no access entry for ${accessKeyId}`);
    checkRequest(url, entry.principal.secretAccessKey, clusterName);
    const { name } = entry.principal;
    return { username: `arn:aws:sts::000000000000:assumed-role/${name}/${name}`, groups: entry.groups };
  };
  const review = (token: string): object => {
    try {
      return { authenticated: true, user: userOf(token) };
    } catch (error) {
      refusals.push(String(error));
      return { authenticated: false };
    }
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { apiVersion, kind, spec } = JSON.parse((await request.toArray()).join(""));
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ apiVersion, kind, status: review(spec.token) }));
  };
  const server = createServer((request, response) => void answer(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  return {
    kubeconfig: `apiVersion: v1
kind: Config
clusters: [{ name: webhook, cluster: { server: "http://127.0.0.1:${port}" } }]
users: [{ name: apiserver, user: {} }]
contexts: [{ name: webhook, context: { cluster: webhook, user: apiserver } }]
current-context: webhook
`,
    admit: (principal, groups) => void entries.set(principal.accessKeyId, { principal, groups }),
    refusals,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** EKS takes a token for 15 minutes. */
const TOKEN_MS = 15 * 60_000;

/** Throws unless the request is GetCallerIdentity for this cluster, fresh, and signed with this key, as STS checks it. */
function checkRequest(url: URL, secretAccessKey: string, clusterName: string): void {
  const query = url.searchParams;
  const expected = { Action: "GetCallerIdentity", "X-Amz-SignedHeaders": "host;x-k8s-aws-id" };
  for (const [name, value] of Object.entries(expected)) {
    if (query.get(name) !== value) throw new Error(`${name} is ${query.get(name)}`);
  }
  const date = query.get("X-Amz-Date") ?? "";
  const signedAt = Date.parse(date.replace(/(....)(..)(..T..)(..)(..Z)/, "$1-$2-$3:$4:$5"));
  if (!(Math.abs(Date.now() - signedAt) < TOKEN_MS)) throw new Error(`signed at ${date}`);
  const [, , region = "", service = ""] = query.get("X-Amz-Credential")?.split("/") ?? [];
  if (url.hostname !== `sts.${region}.amazonaws.com` || service !== "sts") throw new Error(`for ${url.host}`);
  const signed = [...query].filter(([name]) => name !== "X-Amz-Signature");
  const canonicalQuery = signed
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .toSorted((a, b) => (a < b ? -1 : 1))
    .join("&");
  const headers = `host:${url.host}\nx-k8s-aws-id:${clusterName}\n`;
  const canonical = ["GET", "/", canonicalQuery, headers, "host;x-k8s-aws-id", hash("")].join("\n");
  const scope = [date.slice(0, 8), region, service, "aws4_request"];
  const toSign = ["AWS4-HMAC-SHA256", date, scope.join("/"), hash(canonical)].join("\n");
  const key = scope.reduce<string | Buffer>(
    (previous, part) => hmac(previous, part),
    `AWS4${secretAccessKey}`,
  );
  if (hmac(key, toSign).toString("hex") !== query.get("X-Amz-Signature"))
    throw new Error("another signature");
}

function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
