import { Connection } from "../../../shared/api/core.ts";
import {
  apiVersionOf,
  type Kind,
  type KubeObject,
  MANAGEMENT,
  type ObjectKey,
  workloadCluster,
} from "../../../shared/api/kinds.ts";
import { sameJson, valueAt } from "../../../shared/api/path.ts";
import type { Clock, Log, Store, TypeKey } from "../../../shared/runtime/ports.ts";
import { isAtLeast } from "../../../shared/runtime/resource-version.ts";
import type { Delivery } from "../delivery/delivery.ts";
import type { Share } from "./share.ts";

type Status = Connection["status"];

/** The type under which Connections are stored. */
export const CONNECTION_TYPE: TypeKey = {
  cluster: MANAGEMENT,
  group: Connection.group,
  kind: Connection.kind,
};

export interface ConnectionRecordOptions {
  readonly cluster: ObjectKey;
  /** The Cluster's uid, which the Connection shares. */
  readonly uid: string;
  readonly delivery: Delivery;
  readonly clock: Clock;
  readonly log: Log;
  /** The share of this relay; absent where no other relay speaks for this Cluster, or all of them do. */
  readonly share?: Pick<Share, "isHeld"> | undefined;
}

/** The failures in a row after which a connection is given up. */
export const FAILURES = 5;

/**
 * The state of one connection, published as a Connection snapshot on transitions only (KR-19). It is the recovery
 * signal of Q-20. Differs: it enqueues every key of the Cluster for the functions that watch it, also keys that did not
 * wait for it: a run without work ends without a request.
 */
export class ConnectionRecord {
  readonly #options: ConnectionRecordOptions;
  #status: Status = { state: "unknown", nodesComplete: false, failures: 0 };
  #published: Status | undefined;
  #resourceVersion = 0;
  /** Why Nodes are missing: the server sends more than it may, or answers that cannot be used (S-14). */
  #incomplete: string | undefined;
  /** Why Nodes are known later than usual. */
  #note: string | undefined;
  #secretVersion: string | undefined;
  #lastSuccessAt: number | undefined;

  constructor(options: ConnectionRecordOptions) {
    this.#options = options;
  }

  get status(): Status {
    return this.#status;
  }

  /** Milliseconds since the last answer of the server. */
  get silentMs(): number {
    return this.#options.clock.now().getTime() - (this.#lastSuccessAt ?? 0);
  }

  /** Notes that the server has answered. Published with the next transition. */
  heard(): void {
    this.#lastSuccessAt = this.#options.clock.now().getTime();
  }

  /**
   * Notes why Nodes are missing: larger than allowed, or undecodable. Undefined after a whole list. Published when
   * connected.
   */
  incomplete(message: string | undefined): void {
    this.#incomplete = message;
  }

  /** Notes why Nodes are known later than usual; undefined when they no longer are. Published when connected. */
  note(message: string | undefined): void {
    this.#note = message;
  }

  get isNoted(): boolean {
    return this.#note !== undefined;
  }

  /** Notes another kubeconfig. Published at once: workers must drop the old one (S-13). */
  async uses(secretVersion: string | undefined): Promise<void> {
    this.#secretVersion = secretVersion;
    if (this.#published === undefined) return;
    // The message that the Secret was missing is no longer true.
    const { message, ...status } = this.#status;
    await this.#publish(status.state === "unknown" ? status : this.#status);
  }

  async connected(nodesComplete: boolean): Promise<void> {
    this.heard();
    const message = this.#incomplete;
    const connected = { state: "connected", failures: 0 } as const;
    const note = this.#note === undefined ? {} : { message: this.#note };
    if (message === undefined) await this.#publish({ ...connected, nodesComplete, ...note });
    else await this.#publish({ ...connected, nodesComplete: false, message });
  }

  async unknown(message: string): Promise<void> {
    await this.#publish({ state: "unknown", nodesComplete: false, failures: 0, message });
  }

  /** Notes `failures` in a row: the absence of a Node no longer proves anything. */
  async failing(state: "connected" | "unreachable", message: string, failures: number): Promise<void> {
    await this.#publish({
      state,
      nodesComplete: false,
      message,
      failures: Math.min(FAILURES, failures),
      failingSince: this.#status.failingSince ?? this.#options.clock.now().toISOString(),
    });
  }

  /**
   * Publishes the snapshot again if the store has lost it, has gone back to an earlier one, or has that of
   * a relay to which the Cluster no longer belongs. A store that does not answer is asked again. Returns whether it did.
   */
  async republishIfLost(store: Store): Promise<boolean> {
    if (this.#published === undefined) return false;
    const stored = await store.get(CONNECTION_TYPE, this.#options.cluster).catch(() => "unknown" as const);
    if (stored === "unknown" || this.#isStored(stored)) return false;
    // The clock of the other relay may be ahead of ours.
    const storedVersion = Number(stored?.metadata.resourceVersion ?? 0);
    this.#resourceVersion = Math.max(this.#resourceVersion, storedVersion);
    return this.republish();
  }

  #isStored(stored: KubeObject | undefined): boolean {
    // Without shares another relay may have published since.
    return this.#options.share === undefined
      ? isAtLeast(stored?.metadata.resourceVersion, String(this.#resourceVersion))
      : sameJson(valueAt(stored, "status"), this.#published);
  }

  /** Publishes the snapshot again, above any stored version. Returns false when nothing has been published yet. */
  async republish(): Promise<boolean> {
    if (this.#published === undefined) return false;
    this.#published = undefined;
    await this.#publish(this.#status);
    return true;
  }

  /** Publishes a status, unless only the time of the last success differs. */
  async #publish(next: Status): Promise<void> {
    const { delivery, log, cluster, uid, clock } = this.#options;
    const lastSuccess =
      this.#lastSuccessAt === undefined ? undefined : new Date(this.#lastSuccessAt).toISOString();
    this.#status = { ...next, lastSuccess, secretVersion: this.#secretVersion };
    if (this.#published !== undefined && sameJson({ ...this.#published, lastSuccess }, this.#status)) return;
    this.#published = this.#status;
    // Another relay may speak for the Cluster by now. If it does not, `republishIfLost` publishes this.
    if (this.#options.share?.isHeld() === false) return;
    // Above every version of an earlier process, whose snapshot may still be stored.
    this.#resourceVersion = Math.max(this.#resourceVersion + 1, clock.now().getTime());
    const snapshot: Connection = {
      apiVersion: apiVersionOf(Connection as Kind),
      kind: Connection.kind,
      metadata: { ...cluster, uid, resourceVersion: String(this.#resourceVersion) },
      status: this.#status,
    };
    await delivery.put(CONNECTION_TYPE, [snapshot], "live");
    log.info(
      { cluster: workloadCluster(cluster), state: next.state, failures: next.failures },
      "the state of a workload connection changed",
    );
  }
}
