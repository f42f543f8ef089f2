import { randomBytes } from "node:crypto";
import { isIP } from "node:net";
import { hostInUrl } from "../../../shared/api/host-in-url.ts";
import { MINUTE } from "../../../shared/function/backoff.ts";
import type { CertificateRequest, Credentials, Pki } from "../../platform/pki/pki.ts";
import { REDIS_USERS, type RedisUser, RIGHTS } from "../../queue/backends/redis/server/users.ts";
import type { Manifest } from "../deployment.ts";
import { sha256 } from "../sha256.ts";
import { NAMESPACE } from "./deployments.ts";

interface Places {
  readonly namespace?: string | undefined;
  /** Name or address by which processes reach Redis. Default: the Service `capstan-redis` of the namespace. */
  readonly redisHost?: string | undefined;
  /** The port of Redis; default 6379. */
  readonly redisPort?: number | undefined;
}

interface SecretsOptions extends Places {
  readonly pki: Pki;
  readonly now: Date;
}

/** Makes the contents of Secrets: new ones here, in the chart the expressions by which Helm makes them. */
export interface Maker {
  authority(of: "redis" | "diagnostics" | "console"): Promise<Authority>;
  password(user: RedisUser): Promise<Password>;
}

interface Password {
  readonly text: string;
  /** SHA-256 of the text, hexadecimal. */
  readonly hash: string;
}

export interface Authority {
  readonly cert: string;
  issue(commonName: string, use: CertificateRequest["use"]): Promise<Credentials>;
}

const REDIS_PORT = 6_379;
const DAY_MS = 24 * 60 * MINUTE;
export const VALID_DAYS = 365;
const SECOND_MS = 1_000;
/** 256 bits; no character of it has a meaning in a URL or an ACL file. */
const PASSWORD_BYTES = 32;

/**
 * Returns new certificates and Redis users as Secrets. Each call makes other ones, and the keys of all authorities are
 * forgotten: renewing one means renewing all.
 */
export function newSecrets({ pki, now, ...places }: SecretsOptions): Promise<readonly Manifest[]> {
  return secretsBy({ authority: (of) => newAuthority(of, { pki, now }), password: newPassword }, places);
}

/** Returns the Secrets of a deployment with the contents that `maker` makes. */
export async function secretsBy(maker: Maker, places: Places = {}): Promise<readonly Manifest[]> {
  const { namespace = NAMESPACE, redisPort = REDIS_PORT } = places;
  const { redisHost = `capstan-redis.${namespace}.svc` } = places;
  const [forRedis, forDiagnostics, forConsole] = [
    await maker.authority("redis"),
    await maker.authority("diagnostics"),
    await maker.authority("console"),
  ];
  const redis = await forRedis.issue("capstan-redis", namesOf(redisHost, namespace));
  const server = await forDiagnostics.issue("capstan-diagnostics", diagnosticsNames(namespace));
  const client = await forDiagnostics.issue("capstan-diagnostics-client", "client");
  const browsed = await forConsole.issue("capstan-console", consoleNames(namespace));
  const passwords = await Promise.all(
    REDIS_USERS.map(async (user) => [user, await maker.password(user)] as const),
  );
  const secret = (name: string, type: string, stringData: object): Manifest => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace },
    type,
    stringData,
  });
  return [
    secret("capstan-redis", "Opaque", { ...filesOf(redis, forRedis.cert), "users.acl": aclFile(passwords) }),
    ...passwords.map(([user, password]) =>
      secret(`capstan-${user}-queue`, "Opaque", {
        url: `rediss://${user}:${password.text}@${hostInUrl(redisHost)}:${redisPort}`,
        "ca.crt": forRedis.cert,
      }),
    ),
    secret("capstan-diagnostics", TLS_TYPE, filesOf(server, forDiagnostics.cert)),
    secret("capstan-diagnostics-client", TLS_TYPE, filesOf(client, forDiagnostics.cert)),
    secret("capstan-console", TLS_TYPE, filesOf(browsed, forConsole.cert)),
  ];
}

const TLS_TYPE = "kubernetes.io/tls";

function filesOf({ cert, key }: Credentials, authority: string) {
  return { "tls.crt": cert, "tls.key": key, "ca.crt": authority };
}

/**
 * No client can be the default user: it is off and has no password. It keeps its rights, because Redis loads its append-only
 * file as this user, and versions without redis/redis#14545 leave out every transaction that the user may not run,
 * silently: all that scripts have written would be lost at each restart.
 */
const DEFAULT_USER = "user default off resetpass ~* &* +@all";

/** The server holds hashes of the passwords only. */
function aclFile(passwords: readonly (readonly [RedisUser, Password])[]): string {
  const lines = passwords.map(([user, { hash }]) => `user ${user} on #${hash} resetchannels ${RIGHTS[user]}`);
  return [DEFAULT_USER, ...lines, ""].join("\n");
}

async function newPassword(): Promise<Password> {
  const text = randomBytes(PASSWORD_BYTES).toString("base64url");
  return { text, hash: sha256(text) };
}

async function newAuthority(
  of: string,
  { pki, now }: Pick<SecretsOptions, "now" | "pki">,
): Promise<Authority> {
  const nowMs = Math.floor(now.getTime() / SECOND_MS) * SECOND_MS;
  // Clocks differ.
  const valid = { notBefore: new Date(nowMs - DAY_MS), notAfter: new Date(nowMs + VALID_DAYS * DAY_MS) };
  const { publicKey, privateKey } = await pki.newKeys();
  const subject = { commonName: `capstan ${of}` };
  const signer = { key: privateKey };
  const cert = await pki.sign({ subject, publicKey, ...valid, use: "authority", signer });
  return {
    cert,
    issue: async (commonName, use) => {
      const own = await pki.newKeys();
      const request = { subject: { commonName }, publicKey: own.publicKey, ...valid, use };
      return { key: own.privateKey, cert: await pki.sign({ ...request, signer: { ...signer, cert } }) };
    },
  };
}

/** Names of Redis: as the URL has it, and as Pods of the namespace may write it. */
function namesOf(host: string, namespace: string) {
  const service = [
    `capstan-redis.${namespace}.svc`,
    `capstan-redis.${namespace}`,
    "capstan-redis",
    "localhost",
  ];
  const isAddress = isIP(host) !== 0;
  return {
    dns: isAddress ? service : [...new Set([host, ...service])],
    ips: [...new Set(["127.0.0.1", ...(isAddress ? [host] : [])])],
  };
}

/** Any Service of the namespace. Clients that use the addresses of Pods ask for one of these names. */
function diagnosticsNames(namespace: string) {
  return { dns: [`*.${namespace}.svc`, "localhost"], ips: ["127.0.0.1"] };
}

/** Returns names for port-forward and in the cluster. Browsers get an ingress's certificate, or this authority. */
function consoleNames(namespace: string) {
  return { dns: [`capstan-console.${namespace}.svc`, "localhost"], ips: ["127.0.0.1"] };
}
