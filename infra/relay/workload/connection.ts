import { type Connection, Node, type Secret } from "../../../shared/api/core.ts";
import { type Kind, type KubeObject, workloadCluster } from "../../../shared/api/kinds.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import { KubeError, WaitingError } from "../../../shared/function/errors.ts";
import type { KubeClient, Log, Sending, Store } from "../../../shared/runtime/ports.ts";
import type { LoopStatus } from "../../../shared/runtime/read/loop-status.ts";
import { relistIfLost } from "../store-loss.ts";
import { isDamaged, SILENT_WATCH } from "../watch/recovery.ts";
import type { WatchLoop } from "../watch/watch-loop.ts";
import { connectionFailure, refusesCredentials } from "./connection-failure.ts";
import { ConnectionRecord, type ConnectionRecordOptions, FAILURES } from "./connection-record.ts";
import { kubeconfigIn, secretIsMissing, type WorkloadOptions, whyUnreachable } from "./workload-access.ts";
import {
  type Attempt,
  leaveAttempt,
  nodesOf,
  openAttempt,
  type WorkloadNodesOptions,
} from "./workload-nodes.ts";

/*
 * The connection to one workload server (KR-19):
 *
 *   unknown ──Secret──▶ attempt ──Nodes are known──▶ connected ──5 failed probes──▶ unreachable
 *                          │ failed or Secret unusable                                 │ every 30 s, or at once
 *                          └──────────────▶ unreachable ──────────────▶ attempt ◀──────┘ on `retryNow`
 *
 * An attempt resumes from the stored Nodes when the server still has them; otherwise it lists (KR-10). A missing Secret
 * leads back to `unknown` from every state. Nodes stay in the read model until the Cluster is gone. All steps run one
 * after the other; loops only post steps and never wait.
 */
export interface WorkloadConnection extends AsyncDisposable {
  /** `why` says why there is none, unless it does not exist. */
  secretChanged(secret: Secret | undefined, why?: string): void;
  /** Retries a failed attempt at once, because a change may make it succeed. */
  retryNow(): void;
  /** Returns a client. Throws WaitingError without a connection. */
  client(functionName: string, sending?: Sending): KubeClient;
  status(): ConnectionStatus;
  /** Publishes and lists again the data that the store has lost. Resolves with whether it had lost any. */
  relistLost(): Promise<boolean>;
  /** Publishes the state again, above any stored version. Returns false when nothing has been published yet. */
  republish(): Promise<boolean>;
}

/** The status of its Connection, and of the watch of its Nodes. */
export interface ConnectionStatus extends Partial<Connection["status"]> {
  readonly cluster: string;
  readonly state: Connection["status"]["state"];
  readonly nodes: LoopStatus | undefined;
}

export interface ConnectionOptions extends ConnectionRecordOptions, WorkloadOptions {
  readonly store: Store;
  readonly signal: AbortSignal;
  readonly random?: (() => number) | undefined;
  readonly nodeFields: WorkloadNodesOptions["nodeFields"];
  readonly isEnding?: WorkloadNodesOptions["isEnding"];
  /** Called at a retry without a Secret: looks for it by name. */
  readonly askForSecret: () => Promise<void>;
}

const RETRY_MS = 30 * SECOND;
const PROBE_MS = 10 * SECOND;

/** Bookmarks come about once a minute; a few seconds later is still in time. */
const SILENCE_MS = 65 * SECOND;

export function createConnection(options: ConnectionOptions): WorkloadConnection {
  return new OneConnection(options);
}

/** Returns a client that reports the version of each Node that it has written. */
function reportingWrites(client: KubeClient, report: (resourceVersion: string) => void): KubeClient {
  const reported = async (kind: Kind, written: Promise<KubeObject>): Promise<KubeObject> => {
    const answer = await written;
    const { resourceVersion } = answer.metadata;
    if (isNode(kind) && resourceVersion !== undefined) report(resourceVersion);
    return answer;
  };
  return {
    ...client,
    create: (kind, ...rest) => reported(kind, client.create(kind, ...rest)),
    jsonPatch: (kind, ...rest) => reported(kind, client.jsonPatch(kind, ...rest)),
    apply: (kind, ...rest) => reported(kind, client.apply(kind, ...rest)),
  };
}

function isNode({ group, kind }: Kind): boolean {
  return group === Node.group && kind === Node.kind;
}

/** Runs the steps of one connection one after the other. Steps that are posted after the end are dropped. */
interface Steps extends AsyncDisposable {
  post(step: () => Promise<void>): void;
}

function createSteps(
  name: string,
  { log, signal }: { readonly log: Log; readonly signal: AbortSignal },
): Steps {
  let tail: Promise<void> = Promise.resolve();
  let closed: boolean = false;
  return {
    post(step) {
      tail = tail
        .then(() => (closed ? undefined : step()))
        .catch((error: unknown) => {
          if (signal.aborted) return;
          log.error({ cluster: name, error: String(error) }, "bug: a connection step failed");
        });
    },
    async [Symbol.asyncDispose]() {
      closed = true;
      await tail;
    },
  };
}

class OneConnection implements WorkloadConnection {
  readonly #options: ConnectionOptions;
  readonly #name: string;
  readonly #steps: Steps;
  #secret: Secret | undefined;
  #secretKnown: boolean = false;
  /** Why the Secret is missing. */
  #missing: string | undefined;
  #current: Attempt | undefined;
  readonly #record: ConnectionRecord;
  #probedAt = Number.NEGATIVE_INFINITY;
  #cancelRetry: () => void = () => undefined;
  #cancelTick: () => void = () => undefined;
  #isLooking: boolean = false;
  /** Failures since the watch was last accepted. One is mended at once; from the second on it may miss something. */
  #failedWatches = 0;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#record = new ConnectionRecord(options);
    this.#name = workloadCluster(options.cluster);
    this.#steps = createSteps(this.#name, options);
  }

  secretChanged(next: Secret | undefined, why = secretIsMissing(this.#options.cluster)): void {
    this.#steps.post(async () => {
      const missing = next === undefined ? why : undefined;
      const same =
        this.#secretKnown && missing === this.#missing && kubeconfigIn(next) === kubeconfigIn(this.#secret);
      this.#missing = missing;
      this.#secret = next;
      this.#secretKnown = true;
      if (same) return;
      if (missing !== undefined) await this.#secretIsMissing(missing);
      else await this.#connect();
    });
  }

  retryNow(): void {
    this.#steps.post(async () => {
      if (this.#secretKnown && this.#record.status.state !== "connected") await this.#connect();
    });
  }

  client(functionName: string, sending?: Sending): KubeClient {
    if (this.#record.status.state !== "connected" || this.#current === undefined) {
      throw new WaitingError(`Connection ${this.#name}`);
    }
    const { server, loop } = this.#current;
    return reportingWrites(server.as(functionName, sending), (version) => loop.wrote(version));
  }

  status(): ConnectionStatus {
    return { cluster: this.#name, ...this.#record.status, nodes: this.#current?.loop.status() };
  }

  relistLost(): Promise<boolean> {
    const { store, delivery, cluster } = this.#options;
    // Checks must not pile up behind a step that waits for the store.
    if (this.#isLooking) return Promise.resolve(false);
    this.#isLooking = true;
    const looked = Promise.withResolvers<boolean>();
    this.#steps.post(async () => {
      this.#isLooking = false;
      const isRecordLost = await this.#record.republishIfLost(store);
      const loop = this.#current?.loop;
      const areNodesLost = loop !== undefined && (await relistIfLost(delivery, nodesOf(cluster), loop));
      looked.resolve(isRecordLost || areNodesLost);
    });
    return looked.promise;
  }

  republish(): Promise<boolean> {
    return this.#record.republish();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#steps[Symbol.asyncDispose]();
    this.#cancelRetry();
    this.#cancelTick();
    await this.#disconnect();
  }

  async #connect(): Promise<void> {
    this.#cancelRetry();
    if (this.#secret === undefined) {
      this.#retryLater();
      await this.#options.askForSecret().catch(() => undefined);
      return;
    }
    const before = this.#current;
    await this.#record.uses(this.#secret.metadata.resourceVersion);
    // First: a list that it still stores would replace what the next attempt stores.
    await before?.loop[Symbol.asyncDispose]();
    try {
      this.#current = openAttempt(this.#secret, this.#options, {
        onListed: (loop, oversized) => this.#steps.post(() => this.#listed(loop, oversized)),
        onFollowing: (loop) => this.#steps.post(() => this.#following(loop)),
        onHeard: (loop) => this.#heard(loop),
        onFailed: (loop, error) => this.#steps.post(() => this.#failed(loop, error)),
      });
    } catch (error) {
      // Only another Secret can help: there is nothing to try again.
      await this.#unreachable(
        error instanceof Error ? error.message : "the kubeconfig cannot be used",
        FAILURES,
      );
      this.#cancelRetry();
      return;
    }
    before?.server[Symbol.dispose]();
  }

  #heard(loop: WatchLoop): void {
    this.#record.heard();
    const wasNoted = this.#record.isNoted;
    this.#record.note(undefined);
    if (wasNoted || !this.#record.status.nodesComplete) this.#steps.post(() => this.#succeeded(loop));
  }

  async #listed(loop: WatchLoop, oversized: string | undefined): Promise<void> {
    if (this.#current?.loop !== loop) return;
    this.#failedWatches = 0;
    this.#record.incomplete(oversized);
    await this.#succeeded(loop);
  }

  /** Nothing was missed: the watch continues where it was. */
  async #following(loop: WatchLoop): Promise<void> {
    if (this.#current?.loop !== loop || this.#failedWatches === 0) return;
    if (this.#isBlind) this.#record.incomplete(undefined);
    this.#failedWatches = 0;
    await this.#succeeded(loop);
  }

  get #isBlind(): boolean {
    return this.#failedWatches > 1;
  }

  async #succeeded(loop: WatchLoop): Promise<void> {
    if (this.#current?.loop !== loop) return;
    await this.#record.connected(true);
    this.#armTick();
  }

  async #failed(loop: WatchLoop, error: unknown): Promise<void> {
    if (this.#current?.loop !== loop) return;
    this.#failedWatches += 1;
    // A Secret that is not watched may have changed.
    if (refusesCredentials(error)) void this.#options.askForSecret().catch(() => undefined);
    const isMute = error instanceof KubeError && error.reason === SILENT_WATCH;
    if (isMute) this.#record.note(error.message);
    if (isDamaged(error)) this.#record.incomplete(error.message);
    else if (this.#isBlind) this.#record.incomplete(this.#messageOf(error, "does not show its Nodes"));
    if (this.#record.status.state !== "connected") {
      await this.#unreachable(this.#messageOf(error), this.#record.status.failures + 1);
    } else if (isMute) {
      await this.#record.connected(this.#record.status.nodesComplete);
    } else if (isDamaged(error)) {
      await this.#record.connected(false);
    } else if (this.#now() - this.#probedAt >= PROBE_MS) {
      // The first failure of the watch starts a probe; the timer starts the others, not the pace of the reconnects.
      await this.#probe(this.#current);
    } else if (this.#isBlind && this.#record.status.nodesComplete) {
      await this.#record.connected(false);
    }
  }

  async #probe({ server }: Attempt): Promise<void> {
    this.#probedAt = this.#now();
    const error = await whyUnreachable(server);
    if (error === undefined) {
      // A server that answers may still refuse the watch; only with it the absence of a Node is a proof.
      const { nodesComplete } = this.#record.status;
      return this.#record.connected(this.#failedWatches === 0 || (nodesComplete && !this.#isBlind));
    }
    const failures = this.#record.status.failures + 1;
    if (failures >= FAILURES) return this.#unreachable(this.#messageOf(error), failures);
    await this.#record.failing("connected", this.#messageOf(error), failures);
  }

  /** Checks a connection every 10 s; asks the server only after a failure or a silence. */
  #armTick(): void {
    this.#cancelTick();
    const look = async () => {
      if (this.#current === undefined || this.#record.status.state !== "connected") return;
      const silent = this.#record.silentMs >= SILENCE_MS;
      if (silent || this.#record.status.failures > 0 || !this.#record.status.nodesComplete)
        await this.#probe(this.#current);
      this.#armTick();
    };
    this.#cancelTick = this.#options.clock.after(PROBE_MS, () => this.#steps.post(look));
  }

  async #unreachable(message: string, failures: number): Promise<void> {
    await this.#disconnect();
    await this.#record.failing("unreachable", message, failures);
    this.#retryLater();
  }

  async #secretIsMissing(why: string): Promise<void> {
    this.#cancelRetry();
    await this.#disconnect();
    await this.#record.unknown(why);
    this.#retryLater();
  }

  async #disconnect(): Promise<void> {
    const attempt = this.#current;
    this.#current = undefined;
    await leaveAttempt(attempt);
  }

  #retryLater(): void {
    this.#cancelRetry();
    this.#cancelRetry = this.#options.clock.after(RETRY_MS, () => this.#steps.post(() => this.#connect()));
  }

  #messageOf(error: unknown, problem?: string): string {
    return connectionFailure(this.#options.cluster, this.#current?.server.url.host ?? "", error, problem);
  }

  #now(): number {
    return this.#options.clock.now().getTime();
  }
}
