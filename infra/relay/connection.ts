import { Connection, Node, type Secret } from "../../shared/api/core.ts";
import {
  apiVersionOf,
  type Kind,
  MANAGEMENT,
  type ObjectKey,
  workloadCluster,
} from "../../shared/api/kinds.ts";
import { SECOND } from "../../shared/runtime/backoff.ts";
import { KubeError, WaitingError } from "../../shared/runtime/errors.ts";
import { sameJson } from "../../shared/runtime/path.ts";
import type { Clock, KubeClient, Log, Store, TypeKey } from "../../shared/runtime/ports.ts";
import type { Server } from "../kube/client.ts";
import type { Delivery } from "./delivery.ts";
import { untilAccepted } from "./retry.ts";
import { snapshotOf } from "./snapshot.ts";
import { createTurns } from "./turns.ts";
import { type LoopStatus, startWatchLoop, type WatchLoop } from "./watch-loop.ts";
import { createWorkloadServer, kubeconfigSecretOf, workloadAccess } from "./workload-access.ts";

/*
 * The connection to one workload server (KR-19, R-09, cluster-and-controlplane.md 6.6):
 *
 *   unknown ──Secret──▶ attempt ──first list of Nodes──▶ connected ──5 failed probes──▶ unreachable
 *                          │ failed or Secret unusable                                     │ every 30 s, or at once
 *                          └──────────────▶ unreachable ──────────────▶ attempt ◀──────────┘ on `retryNow`
 *
 * A lost Secret leads back to `unknown` from everywhere. Nodes stay in the read model until the Cluster is gone.
 * Everything here happens one after the other (`post`); loops only post and never wait.
 */
export interface WorkloadConnection extends AsyncDisposable {
  secretChanged(secret: Secret | undefined): void;
  /** Something changed that may make a failed attempt succeed. */
  retryNow(): void;
  /** Throws WaitingError while there is no connection. */
  client(functionName: string): KubeClient;
  status(): ConnectionStatus;
}

export interface ConnectionStatus {
  readonly cluster: string;
  readonly state: Status["state"];
  readonly nodes: LoopStatus | undefined;
}

export interface ConnectionOptions {
  readonly cluster: ObjectKey;
  /** The Cluster's uid, which the Connection shares. */
  readonly uid: string;
  /** The management server. */
  readonly server: Server;
  readonly store: Store;
  readonly delivery: Delivery;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly random?: (() => number) | undefined;
  readonly version?: string | undefined;
  /** The Secret is missing at a retry: look for it by name. */
  readonly askForSecret: () => Promise<void>;
}

type Status = Connection["status"];

const RETRY_MS = 30 * SECOND;
const PROBE_MS = 10 * SECOND;
/** Bookmarks come about once a minute; a little later than that is still on time. */
const SILENCE_MS = 65 * SECOND;
const FAILURES = 5;

interface Attempt {
  readonly server: Server;
  readonly loop: WatchLoop;
}

export function createConnection(options: ConnectionOptions): WorkloadConnection {
  const { cluster, clock, log, delivery, store } = options;
  const name = workloadCluster(cluster);
  const nodes: TypeKey = { cluster: name, group: Node.group, kind: Node.kind };
  const secretKey = kubeconfigSecretOf(cluster);
  let secret: Secret | undefined;
  let secretKnown = false;
  let current: Attempt | undefined;
  let status: Status = { state: "unknown", nodesComplete: false, failures: 0 };
  let published: Status | undefined;
  let resourceVersion = 0;
  let lastSuccessAt: number | undefined;
  let probedAt = Number.NEGATIVE_INFINITY;
  let closed = false;
  let cancelRetry = () => undefined as void;
  let cancelTick = () => undefined as void;
  let tail: Promise<void> = Promise.resolve();

  const now = () => clock.now().getTime();
  const post = (work: () => Promise<void>) => {
    tail = tail
      .then(() => (closed ? undefined : work()))
      .catch((error: unknown) => {
        if (!options.signal.aborted)
          log.error({ cluster: name, error: String(error) }, "bug: connection step failed");
      });
  };

  const publish = async (next: Status) => {
    status = {
      ...next,
      lastSuccess: lastSuccessAt === undefined ? undefined : new Date(lastSuccessAt).toISOString(),
    };
    const { lastSuccess: _now, ...transition } = status;
    const { lastSuccess: _then, ...before } = published ?? {};
    if (sameJson(transition, before)) return;
    published = status;
    resourceVersion = Math.max(resourceVersion + 1, now());
    const metadata = { ...cluster, uid: options.uid, resourceVersion: String(resourceVersion) };
    const snapshot: Connection = {
      apiVersion: apiVersionOf(Connection as Kind),
      kind: Connection.kind,
      metadata,
      status,
    };
    await delivery.put(
      { cluster: MANAGEMENT, group: Connection.group, kind: Connection.kind },
      snapshot,
      "live",
    );
    log.info({ cluster: name, state: status.state, failures: status.failures }, "workload connection");
  };
  const failing = (message: string, failures: number): Omit<Status, "state" | "nodesComplete"> => ({
    message,
    failures: Math.min(FAILURES, failures),
    failingSince: status.failingSince ?? clock.now().toISOString(),
  });

  const leave = async (attempt: Attempt | undefined) => {
    await attempt?.loop[Symbol.asyncDispose]();
    attempt?.server[Symbol.dispose]();
  };
  const disconnect = async () => {
    const attempt = current;
    current = undefined;
    await leave(attempt);
  };
  const retryLater = () => {
    cancelRetry();
    cancelRetry = clock.after(RETRY_MS, () => post(connect));
  };
  const unreachable = async (message: string, failures: number) => {
    await disconnect();
    await publish({ state: "unreachable", nodesComplete: false, ...failing(message, failures) });
    retryLater();
  };

  const connect = async (): Promise<void> => {
    cancelRetry();
    if (secret === undefined) {
      retryLater();
      return options.askForSecret().catch(() => undefined);
    }
    const before = current;
    try {
      const server = createWorkloadServer(cluster, workloadAccess(secret, options.server.url), options);
      current = { server, loop: watchNodes(server) };
    } catch (error) {
      await unreachable(error instanceof Error ? error.message : "no kubeconfig", status.failures);
      // Only another Secret can help.
      cancelRetry();
      return;
    }
    await leave(before);
  };

  const watchNodes = (server: Server): WatchLoop => {
    const loop: WatchLoop = startWatchLoop({
      ...options,
      name: `${name} nodes`,
      client: server.as("relay"),
      kind: Node as Kind,
      lists: createTurns(1),
      consumer: {
        reduce: (object) => snapshotOf(object, []),
        async listed(items, { resourceVersion: listed }) {
          await delivery.replace(nodes, items, { resourceVersion: listed, urgency: "live" });
          post(() => succeeded(loop));
        },
        async changed({ type, object }) {
          if (type === "DELETED") await delivery.remove(nodes, object);
          else await delivery.put(nodes, snapshotOf(object, []), "live");
          heard();
        },
        async reached(version) {
          await untilAccepted(() => store.advance(nodes, { resourceVersion: version }), options);
          heard();
        },
        failed: (error) => post(() => failed(loop, error)),
      },
    });
    const heard = () => {
      lastSuccessAt = now();
      if (!status.nodesComplete) post(() => succeeded(loop));
    };
    return loop;
  };

  const succeeded = async (loop: WatchLoop) => {
    if (current?.loop !== loop) return;
    lastSuccessAt = now();
    await publish({ state: "connected", nodesComplete: true, failures: 0 });
    armTick();
  };
  const failed = async (loop: WatchLoop, error: unknown) => {
    if (current?.loop !== loop) return;
    // The first failure of the watch asks for a probe; the timer does the rest, not the pace of the reconnects.
    if (status.state === "connected") return now() - probedAt >= PROBE_MS ? probe() : undefined;
    await unreachable(messageOf(error), status.failures + 1);
  };
  const probe = async () => {
    const attempt = current;
    if (attempt === undefined) return;
    probedAt = now();
    try {
      await attempt.server.probe();
      lastSuccessAt = now();
      // The watch may still be down; only with it absence of a Node is proof again.
      const nodesComplete = status.nodesComplete || attempt.loop.status().state === "streaming";
      await publish({ state: "connected", nodesComplete, failures: 0 });
    } catch (error) {
      if (isAnswer(error))
        return publish({ state: "connected", nodesComplete: status.nodesComplete, failures: 0 });
      const failures = status.failures + 1;
      if (failures >= FAILURES) return unreachable(messageOf(error), failures);
      await publish({ state: "connected", nodesComplete: false, ...failing(messageOf(error), failures) });
    }
  };
  const armTick = () => {
    cancelTick();
    cancelTick = clock.after(PROBE_MS, () =>
      post(async () => {
        if (current === undefined || status.state !== "connected") return;
        const silent = now() - (lastSuccessAt ?? 0) >= SILENCE_MS;
        if (silent || status.failures > 0 || !status.nodesComplete) await probe();
        armTick();
      }),
    );
  };
  const messageOf = (error: unknown) =>
    `${name} does not answer: ${error instanceof Error ? error.message : String(error)}; check the server in kubeconfig Secret ${secretKey.namespace}/${secretKey.name}, key value`;

  return {
    secretChanged(next) {
      post(async () => {
        const same =
          secretKnown &&
          next?.data?.["value"] === secret?.data?.["value"] &&
          (next === undefined) === (secret === undefined);
        secret = next;
        secretKnown = true;
        if (same) return;
        if (next !== undefined) return connect();
        cancelRetry();
        await disconnect();
        const message = `kubeconfig Secret ${secretKey.namespace}/${secretKey.name} does not exist; Cluster API writes it when the control plane is initialized`;
        await publish({ state: "unknown", nodesComplete: false, failures: 0, message });
        retryLater();
      });
    },
    retryNow() {
      post(async () => {
        if (secretKnown && status.state !== "connected") await connect();
      });
    },
    client(functionName) {
      if (status.state !== "connected" || current === undefined) throw new WaitingError(`Connection ${name}`);
      return current.server.as(functionName);
    },
    status: () => ({ cluster: name, state: status.state, nodes: current?.loop.status() }),
    async [Symbol.asyncDispose]() {
      cancelRetry();
      cancelTick();
      closed = true;
      await tail;
      cancelRetry();
      cancelTick();
      await disconnect();
    },
  };
}

/** A refusal is an answer too: the least privileged role may not read `/` (S-07). */
function isAnswer(error: unknown): boolean {
  return error instanceof KubeError && (error.status === 403 || error.status === 404);
}
