import { X509Certificate } from "node:crypto";
import { Secret } from "../../../shared/api/core.ts";
import type { ObjectKey } from "../../../shared/api/kinds.ts";
import { KubeError, TerminalError } from "../../../shared/function/errors.ts";
import type { Clock, Log } from "../../../shared/runtime/ports.ts";
import { createServer, type Server } from "../../platform/kube/client.ts";
import { parseKubeconfig } from "../../platform/kube/kubeconfig.ts";
import type { RequestRate } from "../../platform/kube/rate-limit.ts";
import type { RequesterOptions } from "../../platform/kube/request.ts";
import { type AddressList, isLoopback, type ServerAccess } from "../../platform/kube/server-access.ts";
import type { Connect } from "../../platform/kube/transport.ts";

/** KC-09. */
const WORKLOAD_RATE: RequestRate = { requestsPerSecond: 100, burst: 200 };

/** How a process reaches workload servers. */
export interface WorkloadReach {
  readonly clock: Clock;
  readonly log: Log;
  /** Called with every request to a workload server, for metrics. */
  readonly noteWorkloadRequest?: RequesterOptions["noteRequest"];
  /** Version in the User-Agent. */
  readonly version?: string | undefined;
  /** Request rate to each workload server. Default 100 requests/s, burst 200. */
  readonly workloadRate?: Partial<RequestRate> | undefined;
  /**
   * Addresses of workload servers (S-11). Default: any but link-local ones; loopback if the management server is there.
   */
  readonly workloadAddresses?: AddressList | undefined;
  /** Opens connections to workload servers. Default: over the network. */
  readonly connect?: Connect | undefined;
}

export interface WorkloadOptions extends WorkloadReach {
  /** The management server. */
  readonly server: Server;
}

/** Returns the key of the Secret in which Cluster API keeps the kubeconfig of a Cluster. */
export function kubeconfigSecretOf(cluster: ObjectKey): ObjectKey {
  return { namespace: cluster.namespace, name: `${cluster.name}-kubeconfig` };
}

/**
 * Returns access to the workload server from its kubeconfig Secret. Throws TerminalError whose message names Secret,
 * key and next step, never the content.
 */
export function workloadAccess(
  secret: Secret,
  {
    server: management,
    workloadAddresses: only,
    clock,
  }: Pick<WorkloadOptions, "server" | "workloadAddresses" | "clock">,
): ServerAccess {
  const { namespace, name } = secret.metadata;
  const where = `kubeconfig Secret ${namespace}/${name}`;
  const value = secret.data?.["value"];
  if (value === undefined || value === "") {
    throw new TerminalError(
      "InvalidKubeconfig",
      `${where}: key value missing; write a kubeconfig there, or delete the Secret for the control plane provider to write it`,
    );
  }
  const access = accessIn(value, where, { allowLoopback: isLoopback(management.url), only });
  const expiredAt = expiredSince(access.cert, clock.now());
  if (expiredAt === undefined) return access;
  throw new TerminalError(
    "InvalidKubeconfig",
    `${where}, key value: the client certificate expired at ${expiredAt}`,
  );
}

function accessIn(
  value: string,
  where: string,
  addresses: Parameters<typeof parseKubeconfig>[1],
): ServerAccess {
  try {
    return parseKubeconfig(Buffer.from(value, "base64").toString("utf8"), addresses);
  } catch (error) {
    const why =
      error instanceof TerminalError
        ? error.message
        : "is not a kubeconfig; write one with clusters, users, contexts and current-context";
    throw new TerminalError("InvalidKubeconfig", `${where}, key value: ${why}`);
  }
}

/** Returns the time, RFC 3339; undefined for one that is valid, or that the server has to judge. */
function expiredSince(cert: string | undefined, now: Date): string | undefined {
  if (cert === undefined) return undefined;
  try {
    const { validToDate } = new X509Certificate(cert);
    return validToDate < now ? validToDate.toISOString() : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the kubeconfig; undefined without a Secret, null when the Secret has no key `value`. */
export function kubeconfigIn(secret: Secret | undefined): string | null | undefined {
  return secret === undefined ? undefined : (secret.data?.["value"] ?? null);
}

/** Returns the message for people while the kubeconfig Secret is missing; who writes it, the rule of the Cluster adds. */
export function secretIsMissing(cluster: ObjectKey): string {
  const { namespace, name } = kubeconfigSecretOf(cluster);
  return `kubeconfig Secret ${namespace}/${name} does not exist`;
}

/**
 * Probes the server. Returns the failure, if any. A refusal is an answer, too: the least privileged role may not read
 * `/` (S-07).
 */
export async function whyUnreachable(server: Server): Promise<unknown> {
  try {
    await server.probe();
    return undefined;
  } catch (error) {
    const isAnswer = error instanceof KubeError && (error.status === 403 || error.status === 404);
    return isAnswer ? undefined : error;
  }
}

/** Creates a workload server that reads its Secret again when its credentials are refused. */
export function createWorkloadServer(
  cluster: ObjectKey,
  access: ServerAccess,
  options: WorkloadOptions,
): Server {
  const { server: management, clock, log, version, workloadRate, connect } = options;
  return createServer(access, {
    clock,
    log,
    version,
    connect,
    noteRequest: options.noteWorkloadRequest,
    untrusted: true,
    rate: { ...WORKLOAD_RATE, ...workloadRate },
    async reload() {
      const secret = await management.as("relay").get(Secret, kubeconfigSecretOf(cluster));
      return secret === undefined ? undefined : workloadAccess(secret, options);
    },
  });
}
