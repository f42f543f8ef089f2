import type { Clock, Store } from "../../shared/runtime/ports.ts";
import type { Hint } from "../../shared/runtime/queue/hints.ts";
import type { ServerOptions } from "../platform/kube/client.ts";
import type { QueueSource } from "../queue/backends/open.ts";
import type { LedgerLimits } from "../queue/limits.ts";
import type { LoopbackAddress } from "../worker/loopback-address.ts";
import type { LogLevel } from "../worker/telemetry/log.ts";
import type { ListenOptions } from "./listen-options.ts";
import type { RequestOptions } from "./management.ts";
import type { RelayScope } from "./open-relay.ts";

/** Parts that a process can play; `up` plays all of them, `relay` and `worker` one each. */
export const ROLES = ["apiserver", "cloud", "relay", "worker"] as const;
export type Role = (typeof ROLES)[number];

export interface ComposeOptions extends RequestOptions, RelayScope, ListenOptions {
  readonly roles: ReadonlySet<Role>;
  /** Management cluster; absent with the role `apiserver`. */
  readonly kubeconfig?: string | undefined;
  /** The queue; also its URL alone: `memory`, `redis://…` or `sqs://REGION?redis=redis://…`. */
  readonly queue: string | QueueSource;
  readonly installCrds: boolean;
  /** Serves the older versions of the kinds that it installs. Default: no. */
  readonly olderVersions?: boolean | undefined;
  /** Names, patterns such as `machinepool-*`, or groups such as `workload`. */
  readonly functions: readonly string[];
  /** Folder to load functions from instead of Capstan's own. */
  readonly functionsDir?: string | undefined;
  /** Bound of the run history in MiB; 0 = off. Default: 256 on Redis, 32 in memory. */
  readonly historyMb?: number | undefined;
  /** Bound of deletions of each kind in each Cluster within an hour (S-33). Default: Infinity. */
  readonly maxDeletionsPerHour?: number | undefined;
  /** Runs a second of each function for the objects of one namespace (S-31). Default: any number. */
  readonly namespaceRunsPerSecond?: number | undefined;
  /** File for dead letters; default: beside the queue, for `memory` ~/.capstan/dead-letters.jsonl. */
  readonly deadLetters?: string | undefined;
  /** Port of the embedded API server; 0 = any free one. */
  readonly port: number;
  /** Folder where the embedded API server keeps its objects; absent = in memory. */
  readonly data?: string | undefined;
  /** Where the kubeconfig of the embedded API server is written, mode 0600. */
  readonly writeKubeconfig: string;
  readonly logLevel?: LogLevel | undefined;
  /** Gets the lines of the log that are for people, on a terminal. */
  readonly writeLog?: (text: string) => unknown;
  /** Address for metrics, health and status; absent = they are not served. */
  readonly metricsAddress?: LoopbackAddress | undefined;
  /** The clock; default: that of the machine. */
  readonly clock?: Clock | undefined;
  /** Opens connections to the management API server. Default: over the network. */
  readonly connectManagement?: ServerOptions["connect"];
  /** Asked before each write of a function: throws when nothing may be sent from now on. */
  readonly mayWrite?: (() => void) | undefined;
  /** Wraps the read model, to follow its changes. */
  readonly wrapStore?: (store: Store) => Store;
  /** Times of the ledger, for tests. */
  readonly ledgerLimits?: Partial<LedgerLimits>;
  /** Called when a key or a letter of a queue in memory has changed. */
  readonly noteHint?: ((hint: Hint) => void) | undefined;
}
