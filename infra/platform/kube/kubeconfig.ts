import { createPrivateKey, type KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import * as z from "zod";
import { hostInUrl } from "../../../shared/api/host-in-url.ts";
import { TerminalError } from "../../../shared/function/errors.ts";
import type { EksCluster } from "./eks.ts";
import {
  bearer,
  checked,
  type Entry,
  invalid,
  isSet,
  pem,
  serverUrl,
  text,
  textIn,
  type UsedEntries,
  usedEntries,
} from "./kubeconfig-entries.ts";
import { type AddressPolicy, checkedProxy, checkServer, type ServerAccess } from "./server-access.ts";

/** Every field with which a kubeconfig can run a command, read a file, or go around TLS (S-10). */
const refusedOfWorkload = {
  exec: "runs a command; put a token or a client certificate into the kubeconfig",
  "auth-provider": "runs a plugin; put a token or a client certificate into the kubeconfig",
  tokenFile: "reads a file; use token",
  "certificate-authority": "reads a file; use certificate-authority-data",
  "client-certificate": "reads a file; use client-certificate-data",
  "client-key": "reads a file; use client-key-data",
  "insecure-skip-tls-verify": "switches TLS verification off; use certificate-authority-data",
  username: "is basic authentication, which API servers no longer accept; use token",
  password: "is basic authentication, which API servers no longer accept; use token",
  as: "impersonates; use credentials of the identity itself",
  "as-uid": "impersonates; use credentials of the identity itself",
  "as-groups": "impersonates; use credentials of the identity itself",
  "as-user-extra": "impersonates; use credentials of the identity itself",
};

const workloadClusterSchema = z.strictObject({
  server: text,
  "certificate-authority-data": text.optional(),
  "tls-server-name": text.optional(),
  "proxy-url": text.optional(),
  "disable-compression": z.boolean().optional(),
  extensions: z.unknown().optional(),
});

const workloadUserSchema = z.strictObject({
  token: text.optional(),
  "client-certificate-data": text.optional(),
  "client-key-data": text.optional(),
  extensions: z.unknown().optional(),
});

/** Signing takes a hundredth of a second with 4,096 bits, and ten seconds with 32,768, in which a process does nothing else. */
const MAX_BITS = 8_192;

/**
 * Parses the kubeconfig of a workload cluster, which is not trusted: reads no file and starts no process.
 * Throws TerminalError `InvalidKubeconfig`; the message names the field and the next step, never a credential.
 */
export function parseKubeconfig(
  kubeconfig: string,
  addresses: AddressPolicy = { allowLoopback: true },
): ServerAccess {
  return accessOf(usedEntries(kubeconfig), addresses);
}

/** Returns how the entries of a kubeconfig reach their server; see `parseKubeconfig`. */
export function accessOf(
  used: Pick<UsedEntries, "cluster" | "user">,
  addresses: AddressPolicy = { allowLoopback: true },
): ServerAccess {
  for (const [field, why] of Object.entries(refusedOfWorkload)) {
    if (isSet(used.cluster[field]) || isSet(used.user[field])) throw invalid(`field ${field} ${why}`);
  }
  const cluster = checked(workloadClusterSchema, withoutEmpty(used.cluster), "cluster");
  const user = checked(workloadUserSchema, withoutEmpty(used.user), "user");
  const server = serverUrl(cluster.server);
  checkServer(server, addresses);
  const key = pem(user["client-key-data"], "client-key-data");
  checkClientKey(key);
  return {
    server,
    ca: pem(cluster["certificate-authority-data"], "certificate-authority-data"),
    cert: pem(user["client-certificate-data"], "client-certificate-data"),
    key,
    token: bearer(user.token, "token"),
    tlsServerName: cluster["tls-server-name"],
    proxy: checkedProxy(cluster["proxy-url"], addresses),
    addresses,
  };
}

/**
 * Throws TerminalError `InvalidKubeconfig` for a client key that signs too slowly for a process that serves others, too. A
 * text that holds no key is left to TLS, which says so (S-10).
 */
function checkClientKey(pem: string | undefined): void {
  const { modulusLength = 0 } = keyIn(pem)?.asymmetricKeyDetails ?? {};
  if (modulusLength > MAX_BITS) {
    throw invalid(
      `field client-key-data has a key of ${modulusLength} bits; use an ECDSA key, or an RSA key of at most ${MAX_BITS} bits`,
    );
  }
}

function keyIn(pem: string | undefined): KeyObject | undefined {
  try {
    return pem === undefined ? undefined : createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

export interface KubeconfigSource {
  /** Wins over everything else. */
  readonly file?: string | undefined;
  readonly env: { readonly [name: string]: string | undefined };
  /** Where a pod finds its service account. Default `/var/run/secrets/kubernetes.io/serviceaccount`. */
  readonly serviceAccountDirectory?: string | undefined;
}

/**
 * Returns access to the management server: from `file`, then `CAPSTAN_EKS_CLUSTER` or `KUBECONFIG`, then the pod's service
 * account, then `~/.kube/config` (KC-02). A user with a plugin (exec, auth-provider) is left to @kubernetes/client-node, loaded only
 * then. Differs from kubectl: of several files in `KUBECONFIG` the first is taken; they are not merged.
 */
export async function loadKubeconfig(source: KubeconfigSource): Promise<ServerAccess> {
  const variable = source.env["KUBECONFIG"]?.split(":").find((part) => part !== "");
  const eks = source.file === undefined ? eksCluster(source.env) : undefined;
  if (eks !== undefined) {
    if (variable !== undefined) {
      throw invalid("KUBECONFIG and CAPSTAN_EKS_CLUSTER both name a management cluster; set one of them");
    }
    const { eksAccess } = await import("./eks.ts");
    return eksAccess(eks);
  }
  const named = source.file ?? variable;
  if (named !== undefined) return fromFile(named);
  return (await inCluster(source)) ?? fromFile(join(source.env["HOME"] ?? "/", ".kube", "config"));
}

/** Returns the cluster of EKS that variables name. */
function eksCluster(env: KubeconfigSource["env"]): EksCluster | undefined {
  const name = env["CAPSTAN_EKS_CLUSTER"];
  if (name === undefined) return undefined;
  const given = (variable: string): string => {
    const value = env[variable];
    if (isSet(value)) return String(value);
    throw invalid(`CAPSTAN_EKS_CLUSTER is set, and ${variable} is not; set it, too`);
  };
  const [server, ca] = [given("CAPSTAN_EKS_SERVER"), given("CAPSTAN_EKS_CA")];
  return { name, server, ca, region: given("AWS_REGION") };
}

async function inCluster(source: KubeconfigSource): Promise<ServerAccess | undefined> {
  const host = source.env["KUBERNETES_SERVICE_HOST"];
  const port = source.env["KUBERNETES_SERVICE_PORT"] ?? "443";
  if (host === undefined || host === "") return undefined;
  const directory = source.serviceAccountDirectory ?? "/var/run/secrets/kubernetes.io/serviceaccount";
  const tokenFile = join(directory, "token");
  const [ca, token] = await Promise.all([readText(join(directory, "ca.crt")), readText(tokenFile)]);
  const server = new URL(`https://${hostInUrl(host)}:${port}`);
  return { server, ca, token: token.trim(), tokenFile };
}

/** Fields that must not be ignored silently: Capstan would act as another user than the file says. */
const REFUSED_OF_MANAGEMENT = [
  "username",
  "password",
  "as",
  "as-uid",
  "as-groups",
  "as-user-extra",
] as const satisfies readonly (keyof typeof refusedOfWorkload)[];

async function fromFile(file: string): Promise<ServerAccess> {
  const kubeconfig = await readText(file);
  const { cluster, user } = usedEntries(kubeconfig, file);
  for (const field of REFUSED_OF_MANAGEMENT) {
    if (isSet(user[field])) throw invalid(`${file}: field ${field} ${refusedOfWorkload[field]}`);
  }
  if (isSet(user["exec"]) || isSet(user["auth-provider"])) {
    const { accessByPlugin } = await import("./kubeconfig-plugins.ts");
    return accessByPlugin(file);
  }
  const dataOrFile = async (entry: Entry, field: string) => {
    const data = textIn(entry, `${field}-data`);
    const path = textIn(entry, field);
    if (data !== undefined) return pem(data, `${field}-data`);
    return path === undefined ? undefined : readText(resolve(dirname(file), path));
  };
  const server = serverUrl(textIn(cluster, "server") ?? "");
  checkServer(server, undefined);
  const tokenFile = textIn(user, "tokenFile");
  const path = tokenFile === undefined ? undefined : resolve(dirname(file), tokenFile);
  return {
    server,
    ca: await dataOrFile(cluster, "certificate-authority"),
    cert: await dataOrFile(user, "client-certificate"),
    key: await dataOrFile(user, "client-key"),
    token: bearer(path === undefined ? textIn(user, "token") : (await readText(path)).trim(), "token"),
    tokenFile: path,
    tlsServerName: textIn(cluster, "tls-server-name"),
    proxy: checkedProxy(textIn(cluster, "proxy-url")),
    insecure: cluster["insecure-skip-tls-verify"] === true,
  };
}

function withoutEmpty(entry: Entry): Entry {
  const refused = (field: string) => Object.hasOwn(refusedOfWorkload, field);
  return Object.fromEntries(
    Object.entries(entry).filter(([field, value]) => value !== null && value !== "" && !refused(field)),
  );
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw new TerminalError(
      "InvalidKubeconfig",
      `cannot read ${file}; name a readable kubeconfig by --kubeconfig, or by KUBECONFIG`,
      { cause },
    );
  }
}
