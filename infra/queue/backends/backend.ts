import type { KindLookup } from "../../../shared/api/registry.ts";
import type { DeadLetters, NoteFailure } from "../../../shared/runtime/letters/dead-letters-port.ts";
import type { RunHistory } from "../../../shared/runtime/letters/run-history.ts";
import type { Clock, Log, Store } from "../../../shared/runtime/ports.ts";
import type { Hint, Hints } from "../../../shared/runtime/queue/hints.ts";
import type { NoteCount, Queue } from "../../../shared/runtime/queue/queue-port.ts";
import type { Samples } from "../../../shared/runtime/queue/samples.ts";
import type { DeletionLimit } from "../../../shared/runtime/write/deletion-limit.ts";
import type { Heartbeats } from "../heartbeats/heartbeats.ts";
import type { LedgerLimits } from "../limits.ts";
import type { OpenLedger } from "./redis/ledger/open-ledger.ts";
import type { OwnerCluster, OwnerLook, RedisTie } from "./redis/server/owner.ts";
import type { PushedSqsQueue, SqsQueueOptions } from "./sqs/sqs.ts";

/** Differences between backends that other code may ask for; none of it asks which backend it is. */
export interface Capabilities {
  /**
   * Processes share it: what one leaves in it others find, a command can look into it, and it belongs to one management
   * cluster. Where false, it ends with its process, which alone can be asked.
   */
  readonly isShared: boolean;
  /** Dead letters stand beside the queue. Where false, they stand in a file of this machine. */
  readonly keepsLetters: boolean;
  /** A platform may hand keys over, one event each, to functions that it starts for them: `pushed` opens that queue. */
  readonly isPushed: boolean;
}

interface Ports {
  readonly clock: Clock;
  readonly log: Log;
}

export interface QueuePorts extends Ports {
  readonly noteFailure: NoteFailure;
  readonly noteCount?: NoteCount;
  readonly limits?: Partial<LedgerLimits>;
  /** Called with every change that a person may want to see, unless the backend announces them by itself. */
  readonly noteHint?: ((hint: Hint) => void) | undefined;
}

export interface LetterPorts extends Ports, Pick<QueuePorts, "noteHint"> {
  /** A file wins over the place beside the queue. */
  readonly file?: string | undefined;
  /** This process writes letters. */
  readonly writer: boolean;
}

interface HistoryPorts extends Ports {
  /** Bound of `--history-mb`; 0 = off. */
  readonly megabytes?: number | undefined;
}

export interface LimitPorts extends Ports {
  /** The most deletions an hour; infinity: no limit. */
  readonly perHour: number;
}

/** Everything that Capstan keeps, in one place: the URL of `--queue` chooses it. */
export interface Backend extends Parts {
  readonly capabilities: Capabilities;
}

/** Opens each part of a backend. */
export interface Parts {
  /** Opens the queue for a process that wakes keys or runs them. */
  queue(ports: QueuePorts): Promise<Queue>;
  /** Opens it for a process without runs: as Redis user `observer` to look, as `operator` also to control. */
  ledger(ports: Pick<Ports, "log">): Promise<OpenLedger>;
  /** `timing` of the platform. */
  pushed(ports: QueuePorts & Pick<SqsQueueOptions, "timing">): Promise<PushedSqsQueue>;
  /** The read model. */
  store(ports: Pick<Ports, "log"> & { readonly kindOf?: KindLookup }): Promise<Store>;
  letters(ports: LetterPorts): Promise<DeadLetters>;
  /** Returns undefined when it is off. */
  history(ports: HistoryPorts): Promise<RunHistory | undefined>;
  /** Returns how every function stands, for curves. */
  samples(ports: Ports): Promise<Samples>;
  /** Changes of other processes. */
  hints(ports: Pick<Ports, "log">): Promise<Hints>;
  /** Signs of life of the processes that share it. */
  heartbeats(ports: Pick<Ports, "log">): Promise<Heartbeats>;
  /** Deletions of all processes that share it. */
  limit(ports: LimitPorts): Promise<DeletionLimit & Partial<AsyncDisposable>>;
  /** Notes the management cluster that it belongs to, and the format of the data. Throws where either does not fit. */
  tie(cluster: OwnerCluster | undefined, ports: Pick<Ports, "log">): Promise<RedisTie>;
  /** The same for a process that only looks. */
  lookForOwner(cluster: OwnerCluster, ports: Pick<Ports, "log">): Promise<OwnerLook>;
}
