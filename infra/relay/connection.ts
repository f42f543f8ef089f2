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
  return new OneConnection(options);
}

class OneConnection implements WorkloadConnection {
  readonly #options: ConnectionOptions;
  readonly #name: string;
  readonly #nodes: TypeKey;
  #secret: Secret | undefined;
  #secretKnown = false;
  #current: Attempt | undefined;
  #status: Status = { state: "unknown", nodesComplete: false, failures: 0 };
  #published: Status | undefined;
  #resourceVersion = 0;
  #lastSuccessAt: number | undefined;
  #probedAt = Number.NEGATIVE_INFINITY;
  #closed = false;
  #cancelRetry: () => void = () => undefined;
  #cancelTick: () => void = () => undefined;
  #tail: Promise<void> = Promise.resolve();

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#name = workloadCluster(options.cluster);
    this.#nodes = { cluster: this.#name, group: Node.group, kind: Node.kind };
  }

  secretChanged(next: Secret | undefined): void {
    this.#post(async () => {
      const same = this.#secretKnown && kubeconfigIn(next) === kubeconfigIn(this.#secret);
      this.#secret = next;
      this.#secretKnown = true;
      if (same) return;
      if (next === undefined) await this.#secretIsMissing();
      else await this.#connect();
    });
  }

  retryNow(): void {
    this.#post(async () => {
      if (this.#secretKnown && this.#status.state !== "connected") await this.#connect();
    });
  }

  client(functionName: string): KubeClient {
    if (this.#status.state !== "connected" || this.#current === undefined) {
      throw new WaitingError(`Connection ${this.#name}`);
    }
    return this.#current.server.as(functionName);
  }

  status(): ConnectionStatus {
    return { cluster: this.#name, state: this.#status.state, nodes: this.#current?.loop.status() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await this.#tail;
    this.#cancelRetry();
    this.#cancelTick();
    await this.#disconnect();
  }

  #post(work: () => Promise<void>): void {
    this.#tail = this.#tail
      .then(() => (this.#closed ? undefined : work()))
      .catch((error: unknown) => {
        if (this.#options.signal.aborted) return;
        this.#options.log.error(
          { cluster: this.#name, error: String(error) },
          "bug: a connection step failed",
        );
      });
  }

  async #connect(): Promise<void> {
    this.#cancelRetry();
    if (this.#secret === undefined) {
      this.#retryLater();
      await this.#options.askForSecret().catch(() => undefined);
      return;
    }
    const before = this.#current;
    try {
      const access = workloadAccess(this.#secret, this.#options.server.url);
      const server = createWorkloadServer(this.#options.cluster, access, this.#options);
      this.#current = { server, loop: this.#watchNodes(server) };
    } catch (error) {
      await this.#unreachable(
        error instanceof Error ? error.message : "no kubeconfig",
        this.#status.failures,
      );
      // Only another Secret can help.
      this.#cancelRetry();
      return;
    }
    await leave(before);
  }

  #watchNodes(server: Server): WatchLoop {
    const { delivery, store } = this.#options;
    const nodes = this.#nodes;
    const loop: WatchLoop = startWatchLoop({
      ...this.#options,
      name: `${this.#name} nodes`,
      client: server.as("relay"),
      kind: Node as Kind,
      lists: createTurns(1),
      consumer: {
        reduce: (object) => snapshotOf(object, []),
        listed: async (items, { resourceVersion }) => {
          await delivery.replace(nodes, items, { resourceVersion, urgency: "live" });
          this.#post(() => this.#succeeded(loop));
        },
        changed: async ({ type, object }) => {
          if (type === "DELETED") await delivery.remove(nodes, object);
          else await delivery.put(nodes, snapshotOf(object, []), "live");
          this.#heard(loop);
        },
        reached: async (resourceVersion) => {
          await untilAccepted(() => store.advance(nodes, { resourceVersion }), this.#options);
          this.#heard(loop);
        },
        failed: (error) => this.#post(() => this.#failed(loop, error)),
      },
    });
    return loop;
  }

  #heard(loop: WatchLoop): void {
    this.#lastSuccessAt = this.#now();
    if (!this.#status.nodesComplete) this.#post(() => this.#succeeded(loop));
  }

  async #succeeded(loop: WatchLoop): Promise<void> {
    if (this.#current?.loop !== loop) return;
    this.#lastSuccessAt = this.#now();
    await this.#publish({ state: "connected", nodesComplete: true, failures: 0 });
    this.#armTick();
  }

  async #failed(loop: WatchLoop, error: unknown): Promise<void> {
    if (this.#current?.loop !== loop) return;
    if (this.#status.state !== "connected") {
      await this.#unreachable(this.#messageOf(error), this.#status.failures + 1);
    } else if (this.#now() - this.#probedAt >= PROBE_MS) {
      // The first failure of the watch asks for a probe; the timer does the rest, not the pace of the reconnects.
      await this.#probe(this.#current);
    }
  }

  async #probe({ server, loop }: Attempt): Promise<void> {
    this.#probedAt = this.#now();
    const error = await server.probe().then(
      () => undefined,
      (caught: unknown) => caught,
    );
    if (error === undefined || isAnswer(error)) {
      this.#lastSuccessAt = this.#now();
      // The watch may still be down; only with it absence of a Node is proof again.
      const nodesComplete = this.#status.nodesComplete || loop.status().state === "streaming";
      return this.#publish({ state: "connected", nodesComplete, failures: 0 });
    }
    const failures = this.#status.failures + 1;
    if (failures >= FAILURES) return this.#unreachable(this.#messageOf(error), failures);
    await this.#publish({
      state: "connected",
      nodesComplete: false,
      ...this.#failing(this.#messageOf(error), failures),
    });
  }

  /** Looks at a connection every 10 s; asks the server only when something is wrong or nothing was heard. */
  #armTick(): void {
    this.#cancelTick();
    const look = async () => {
      if (this.#current === undefined || this.#status.state !== "connected") return;
      const silent = this.#now() - (this.#lastSuccessAt ?? 0) >= SILENCE_MS;
      if (silent || this.#status.failures > 0 || !this.#status.nodesComplete)
        await this.#probe(this.#current);
      this.#armTick();
    };
    this.#cancelTick = this.#options.clock.after(PROBE_MS, () => this.#post(look));
  }

  async #unreachable(message: string, failures: number): Promise<void> {
    await this.#disconnect();
    await this.#publish({ state: "unreachable", nodesComplete: false, ...this.#failing(message, failures) });
    this.#retryLater();
  }

  async #secretIsMissing(): Promise<void> {
    this.#cancelRetry();
    await this.#disconnect();
    const { namespace, name } = kubeconfigSecretOf(this.#options.cluster);
    const message = `kubeconfig Secret ${namespace}/${name} does not exist; Cluster API writes it when the control plane is initialized`;
    await this.#publish({ state: "unknown", nodesComplete: false, failures: 0, message });
    this.#retryLater();
  }

  async #disconnect(): Promise<void> {
    const attempt = this.#current;
    this.#current = undefined;
    await leave(attempt);
  }

  #retryLater(): void {
    this.#cancelRetry();
    this.#cancelRetry = this.#options.clock.after(RETRY_MS, () => this.#post(() => this.#connect()));
  }

  /** Writes the Connection snapshot when something but the time of the last success is different. */
  async #publish(next: Status): Promise<void> {
    const { delivery, log, cluster, uid } = this.#options;
    const lastSuccess =
      this.#lastSuccessAt === undefined ? undefined : new Date(this.#lastSuccessAt).toISOString();
    this.#status = { ...next, lastSuccess };
    if (sameJson({ ...this.#published, lastSuccess }, this.#status)) return;
    this.#published = this.#status;
    this.#resourceVersion = Math.max(this.#resourceVersion + 1, this.#now());
    const snapshot: Connection = {
      apiVersion: apiVersionOf(Connection as Kind),
      kind: Connection.kind,
      metadata: { ...cluster, uid, resourceVersion: String(this.#resourceVersion) },
      status: this.#status,
    };
    await delivery.put(
      { cluster: MANAGEMENT, group: Connection.group, kind: Connection.kind },
      snapshot,
      "live",
    );
    log.info({ cluster: this.#name, state: next.state, failures: next.failures }, "workload connection");
  }

  #failing(message: string, failures: number): Omit<Status, "state" | "nodesComplete"> {
    return {
      message,
      failures: Math.min(FAILURES, failures),
      failingSince: this.#status.failingSince ?? this.#options.clock.now().toISOString(),
    };
  }

  #messageOf(error: unknown): string {
    const { namespace, name } = kubeconfigSecretOf(this.#options.cluster);
    const why = error instanceof Error ? error.message : String(error);
    return `${this.#name} does not answer: ${why}; check the server in kubeconfig Secret ${namespace}/${name}, key value`;
  }

  #now(): number {
    return this.#options.clock.now().getTime();
  }
}

async function leave(attempt: Attempt | undefined): Promise<void> {
  await attempt?.loop[Symbol.asyncDispose]();
  attempt?.server[Symbol.dispose]();
}

/** Distinguishes no Secret from one without the key. */
function kubeconfigIn(secret: Secret | undefined): string | null | undefined {
  return secret === undefined ? undefined : (secret.data?.["value"] ?? null);
}

/** A refusal is an answer too: the least privileged role may not read `/` (S-07). */
function isAnswer(error: unknown): boolean {
  return error instanceof KubeError && (error.status === 403 || error.status === 404);
}
