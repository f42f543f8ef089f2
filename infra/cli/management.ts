import { WATCH_FILTER_LABEL } from "../../shared/api/indexes.ts";
import { SECOND } from "../../shared/function/backoff.ts";
import { isContractKind } from "../../shared/function/define-function.ts";
import { KubeError } from "../../shared/function/errors.ts";
import type { Clock, Log } from "../../shared/runtime/ports.ts";
import { systemClock } from "../platform/clock.ts";
import { readEnvironment } from "../platform/config.ts";
import { createServer, type Server, type ServerOptions } from "../platform/kube/client.ts";
import { loadKubeconfig } from "../platform/kube/kubeconfig.ts";
import { givenRate, type RequestRate } from "../platform/kube/rate-limit.ts";
import { accessWithToken, addressList } from "../platform/kube/server-access.ts";
import { packageVersion } from "../platform/package-version.ts";
import { rest } from "../platform/rest.ts";
import type { RelayOptions } from "../relay/relay.ts";
import type { RelayScope } from "./open-relay.ts";
import { openLog } from "./terminal/log.ts";

/** How a process connects to API servers, from its command line. */
export interface RequestOptions {
  /** Requests per second to the management API server (KC-09). */
  readonly kubeApiQps?: number | undefined;
  readonly kubeApiBurst?: number | undefined;
  /** Requests per second to each workload API server. */
  readonly workloadApiQps?: number | undefined;
  readonly workloadApiBurst?: number | undefined;
  /** Address blocks in which workload API servers may be (S-11). */
  readonly workloadAddresses?: readonly string[] | undefined;
  /** Field managers of controllers, not of users: the functions take their fields over. */
  readonly takeOverManagers?: readonly string[] | undefined;
}

/**
 * Opens connections to the management API server. Each has a request budget of its own. With a token it acts as the owner
 * of the token, and with none of the credentials of this process.
 */
export type Connect = (rate?: Partial<RequestRate>, token?: string) => Server;

/** Reads the kubeconfig `file` (KC-02 without one), now and whenever its credentials are refused. */
export async function readManagement(
  file: string | undefined,
  options: Pick<ServerOptions, "connect" | "noteRequest"> & { readonly clock: Clock; readonly log: Log },
): Promise<Connect> {
  const reload = () => loadKubeconfig({ file, env: readEnvironment() });
  const access = await reload();
  const version = packageVersion();
  return (rate = {}, token) =>
    token === undefined
      ? createServer(access, { ...options, version, reload, rate })
      : createServer(accessWithToken(access, token), { ...options, version, rate });
}

/** Opens one connection for a command of a person. */
export async function openServer(kubeconfig: string | undefined): Promise<Server> {
  const log = openLog(readEnvironment().CAPSTAN_LOG_LEVEL);
  return (await readManagement(kubeconfig, { clock: systemClock, log }))();
}

/** A server that may be foreign: what it sends is bounded as that of workload servers is. */
export async function openForeignServer(file: string | undefined, clock: Clock): Promise<Server> {
  const reload = () => loadKubeconfig({ file, env: readEnvironment() });
  const log = openLog(readEnvironment().CAPSTAN_LOG_LEVEL);
  return createServer(await reload(), { clock, log, version: packageVersion(), reload, untrusted: true });
}

export function managementRate({ kubeApiQps, kubeApiBurst }: RequestOptions): Partial<RequestRate> {
  return givenRate(kubeApiQps, kubeApiBurst);
}

/** Settings of connections to workload API servers, beside their kubeconfig. */
export function workloadOptions({ workloadApiQps, workloadApiBurst, workloadAddresses }: RequestOptions) {
  return {
    version: packageVersion(),
    workloadRate: givenRate(workloadApiQps, workloadApiBurst),
    workloadAddresses: workloadAddresses && addressList(workloadAddresses),
  };
}

/**
 * Ends the ownership of these field managers on objects that the functions reconcile or keep, such as Machines, in the
 * scope of the relay.
 */
export async function takeOverReconciled(
  { server, functions, clock, log }: Pick<RelayOptions, "server" | "functions" | "clock" | "log">,
  { takeOverManagers = [], namespaces = [], watchFilter }: RequestOptions & RelayScope,
): Promise<void> {
  if (takeOverManagers.length === 0) return;
  const { takeOver } = await import("../platform/kube/take-over.ts");
  const kept = functions.flatMap(({ spec }) => (spec.ownsOn ?? []).map(({ kind }) => kind));
  const ours = kept.flatMap((kind) => (isContractKind(kind) || kind.crd === undefined ? [] : [kind]));
  const kinds = new Set([...functions.map(({ spec }) => spec.reconciles), ...ours]);
  // Beside another controller the rest is its own.
  const labelSelector = watchFilter === undefined ? undefined : `${WATCH_FILTER_LABEL}=${watchFilter}`;
  for (const namespace of namespaces.length === 0 ? [undefined] : namespaces) {
    const scope = { namespace, labelSelector };
    const managers = new Set(takeOverManagers);
    await untilAnswered(() => takeOver(server.as("take-over"), [...kinds], managers, scope), { clock, log });
  }
}

const AGAIN_MS = 2 * SECOND;

interface Patience {
  readonly clock: Clock;
  readonly log?: Log | undefined;
  /** The time until the last attempt; absent: there is none. */
  readonly withinMs?: number;
}

/**
 * Asks until the API server answers: the start of a process that ended because a server is slow, starting or waits for a
 * dead webhook would only begin again. Logs each reason once. Throws a refusal at once, and the last failure when the time
 * is over.
 */
export async function untilAnswered<T>(
  ask: () => Promise<T>,
  { clock, log, withinMs = Number.POSITIVE_INFINITY }: Patience,
): Promise<T> {
  const lastAt = clock.now().getTime() + withinMs;
  let said: string | undefined;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!mayAnswer(error)) throw error;
      if (clock.now().getTime() >= lastAt) throw tooLate(error);
      if (error.message !== said) log?.warn({ error: error.message }, "the start waits for the API server");
      said = error.message;
    }
    await rest(AGAIN_MS, clock);
  }
}

function mayAnswer(error: unknown): error is KubeError {
  return error instanceof KubeError && (error.status === 0 || error.status === 429 || error.status >= 500);
}

function tooLate(cause: KubeError): Error {
  const next = "the API server has not answered in time; look at its load and its log, then start again";
  return new Error(`${cause.message}: ${next}`, { cause });
}
