import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { parse } from "yaml";
import * as z from "zod";
import { TerminalError } from "../../shared/runtime/errors.ts";
import { type AddressPolicy, checkServer, type ServerAccess } from "./server-access.ts";

const MAX_BYTES = 256 * 1024;
const text = z.string().max(MAX_BYTES);
const named = z.array(z.looseObject({ name: text })).optional();

const fileSchema = z.looseObject({
  "current-context": text.optional(),
  contexts: named,
  clusters: named,
  users: named,
});
const contextSchema = z.looseObject({ cluster: text, user: text.optional() });
const entrySchema = z.looseObject({});

/** Every field with which a kubeconfig can run a command, read a file, or go around TLS or the network (S-10). */
const refusedOfWorkload: { readonly [field: string]: string } = {
  exec: "runs a command; put a token or a client certificate into the kubeconfig",
  "auth-provider": "runs a plugin; put a token or a client certificate into the kubeconfig",
  tokenFile: "reads a file; use token",
  "certificate-authority": "reads a file; use certificate-authority-data",
  "client-certificate": "reads a file; use client-certificate-data",
  "client-key": "reads a file; use client-key-data",
  "proxy-url": "goes through a proxy; use an address that Capstan can reach directly",
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
  "disable-compression": z.boolean().optional(),
  extensions: z.unknown().optional(),
});
const workloadUserSchema = z.strictObject({
  token: text.optional(),
  "client-certificate-data": text.optional(),
  "client-key-data": text.optional(),
  extensions: z.unknown().optional(),
});

interface Used {
  readonly cluster: Record<string, unknown>;
  readonly user: Record<string, unknown>;
}

/**
 * A kubeconfig of a workload cluster: hostile until proven otherwise. Reads no file and starts no process.
 * Throws TerminalError `InvalidKubeconfig`; the message names the field and the next step, never a credential.
 */
export function parseKubeconfig(
  kubeconfig: string,
  addresses: AddressPolicy = { allowLoopback: true },
): ServerAccess {
  const used = usedEntries(kubeconfig);
  for (const [field, why] of Object.entries(refusedOfWorkload)) {
    const value = used.cluster[field] ?? used.user[field];
    if (value !== undefined && value !== false && value !== "") throw invalid(`field ${field} ${why}`);
  }
  const cluster = checked(workloadClusterSchema, withoutEmpty(used.cluster), "cluster");
  const user = checked(workloadUserSchema, withoutEmpty(used.user), "user");
  const server = serverUrl(cluster.server);
  checkServer(server, addresses);
  return {
    server,
    ca: pem(cluster["certificate-authority-data"], "certificate-authority-data"),
    cert: pem(user["client-certificate-data"], "client-certificate-data"),
    key: pem(user["client-key-data"], "client-key-data"),
    token: user.token,
    tlsServerName: cluster["tls-server-name"],
    addresses,
  };
}

export interface KubeconfigSource {
  /** Wins over everything else. */
  readonly file?: string | undefined;
  readonly env: { readonly [name: string]: string | undefined };
  /** Where a pod finds its service account. Default `/var/run/secrets/kubernetes.io/serviceaccount`. */
  readonly serviceAccountDirectory?: string | undefined;
}

/**
 * Access to the management server: `file`, then `KUBECONFIG`, then the pod's service account, then `~/.kube/config`
 * (KC-02). Users who need a plugin (exec, auth-provider) are handed to @kubernetes/client-node, lazily.
 * Differs from kubectl: of several files in `KUBECONFIG` the first is taken; they are not merged.
 */
export async function loadKubeconfig(source: KubeconfigSource): Promise<ServerAccess> {
  const named = source.file ?? source.env["KUBECONFIG"]?.split(":").find((part) => part !== "");
  if (named !== undefined) return fromFile(named);
  return (await inCluster(source)) ?? fromFile(join(source.env["HOME"] ?? "/", ".kube", "config"));
}

async function inCluster(source: KubeconfigSource): Promise<ServerAccess | undefined> {
  const host = source.env["KUBERNETES_SERVICE_HOST"];
  const port = source.env["KUBERNETES_SERVICE_PORT"] ?? "443";
  if (host === undefined || host === "") return undefined;
  const directory = source.serviceAccountDirectory ?? "/var/run/secrets/kubernetes.io/serviceaccount";
  const tokenFile = join(directory, "token");
  const [ca, token] = await Promise.all([readText(join(directory, "ca.crt")), readText(tokenFile)]);
  const server = new URL(`https://${host.includes(":") ? `[${host}]` : host}:${port}`);
  return { server, ca, token: token.trim(), tokenFile };
}

async function fromFile(file: string): Promise<ServerAccess> {
  const kubeconfig = await readText(file);
  const { cluster, user } = usedEntries(kubeconfig, file);
  if (
    user["exec"] !== undefined ||
    user["auth-provider"] !== undefined ||
    cluster["proxy-url"] !== undefined
  ) {
    const { accessByPlugin } = await import("./kubeconfig-plugins.ts");
    return accessByPlugin(file);
  }
  const value = (entry: Record<string, unknown>, field: string) => {
    const found = entry[field];
    return typeof found === "string" && found !== "" ? found : undefined;
  };
  const dataOrFile = async (entry: Record<string, unknown>, field: string) => {
    const data = value(entry, `${field}-data`);
    const path = value(entry, field);
    if (data !== undefined) return pem(data, `${field}-data`);
    return path === undefined ? undefined : readText(resolve(dirname(file), path));
  };
  const server = serverUrl(value(cluster, "server") ?? "");
  checkServer(server, undefined);
  const tokenFile = value(user, "tokenFile");
  const path = tokenFile === undefined ? undefined : resolve(dirname(file), tokenFile);
  return {
    server,
    ca: await dataOrFile(cluster, "certificate-authority"),
    cert: await dataOrFile(user, "client-certificate"),
    key: await dataOrFile(user, "client-key"),
    token: path === undefined ? value(user, "token") : (await readText(path)).trim(),
    tokenFile: path,
    tlsServerName: value(cluster, "tls-server-name"),
    insecure: cluster["insecure-skip-tls-verify"] === true,
  };
}

function usedEntries(kubeconfig: string, origin = "kubeconfig"): Used {
  if (kubeconfig.length > MAX_BYTES) throw invalid(`${origin} is longer than ${MAX_BYTES} bytes`);
  let content: unknown;
  try {
    // No aliases: a few lines of them expand to gigabytes.
    content = parse(kubeconfig, { maxAliasCount: 0, logLevel: "error" });
  } catch {
    // The parser's message quotes the text around the error, which may be a credential.
    throw invalid(
      `${origin} is not YAML; write a kubeconfig with clusters, users, contexts and current-context`,
    );
  }
  const file = checked(fileSchema, content, origin);
  const contexts = file.contexts ?? [];
  const name = file["current-context"] ?? "";
  if (name === "" && contexts.length > 1) {
    throw invalid("field current-context is empty but there are several contexts; name the one to use");
  }
  const context = single(
    name === "" ? contexts : contexts.filter((entry) => entry.name === name),
    "contexts",
    name,
  );
  const used = checked(contextSchema, context["context"], `contexts entry ${context.name}`);
  const entry = (field: "cluster" | "user", name: string) => {
    const list = field === "cluster" ? file.clusters : file.users;
    const found = single(
      (list ?? []).filter((candidate) => candidate.name === name),
      `${field}s`,
      name,
    );
    return checked(entrySchema, found[field] ?? {}, `${field}s entry ${name}`);
  };
  return {
    cluster: entry("cluster", used.cluster),
    user: used.user === undefined || used.user === "" ? {} : entry("user", used.user),
  };
}

function single<T>(found: readonly T[], field: string, name: string): T {
  const [first] = found;
  if (first === undefined) {
    const what = name === "" ? "is empty" : `has no entry "${name}"`;
    throw invalid(`field ${field} ${what}; add it or correct the reference`);
  }
  if (found.length > 1) throw invalid(`field ${field} has ${found.length} entries "${name}"; keep one`);
  return first;
}

function checked<T extends z.ZodType>(schema: T, value: unknown, where: string): z.infer<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys.join(", ") : undefined;
  const field = unknown ?? (issue?.path.join(".") || where);
  throw invalid(
    unknown === undefined
      ? `field ${field} of ${where} is missing or has the wrong type; write a kubeconfig as kubectl reads it`
      : `field ${field} of ${where} is not supported; remove it`,
  );
}

function serverUrl(server: string): URL {
  const url = URL.parse(server);
  if (url === null) throw invalid("field server is not a URL; write https://<host>:<port>");
  return url;
}

function pem(data: string | undefined, field: string): string | undefined {
  if (data === undefined) return undefined;
  const decoded = Buffer.from(data, "base64").toString("latin1");
  if (!decoded.includes("-----BEGIN "))
    throw invalid(`field ${field} is not base64 of a PEM text; encode the PEM`);
  return decoded;
}

function withoutEmpty(entry: Record<string, unknown>): Record<string, unknown> {
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
      `cannot read ${file}; name a readable kubeconfig with --kubeconfig or KUBECONFIG`,
      { cause },
    );
  }
}

function invalid(message: string): TerminalError {
  return new TerminalError("InvalidKubeconfig", message);
}
