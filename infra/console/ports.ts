import type { Kind, KubeObject, ObjectKey } from "../../shared/api/kinds.ts";
import type { AnyFunction } from "../../shared/function/define-function.ts";
import type { DeadLetters } from "../../shared/runtime/letters/dead-letters-port.ts";
import type { Clock, Log } from "../../shared/runtime/ports.ts";
import type { QueueReader } from "../../shared/runtime/queue-reader.ts";
import type { TimeLine, TimeLineSelection } from "../explain/time-line.ts";
import type { ClusterAnswer } from "./api/cluster.ts";
import type { RelayAnswer } from "./api/relay.ts";
import type { Control } from "./control.ts";
import type { FleetIndex } from "./fleet/fleet-index.ts";
import type { Jobs } from "./jobs/jobs.ts";

/** Data behind the routes. A route whose data are missing does not exist. */
export interface Ports {
  readonly queue?: QueueReader | undefined;
  readonly letters?: Pick<DeadLetters, "page" | "get"> | undefined;
  readonly fleet?: Pick<FleetIndex, "page"> | undefined;
  readonly explain?: Explain | undefined;
  readonly runs?: ReadRuns | undefined;
  readonly relay?: (() => Promise<Omit<RelayAnswer, "asOf" | "stale">>) | undefined;
  /** Only with --actions, as `jobs`. */
  readonly control?: Control | undefined;
  readonly jobs?: Jobs | undefined;
}

/** Everything about an object; undefined: the read model does not hold it. */
export type Explain = (kind: Kind, key: ObjectKey) => Promise<ExplainedObject | undefined>;

export interface ExplainedObject extends Pick<ClusterAnswer, "tree" | "causes"> {
  readonly object: KubeObject;
}

/** The last runs for an object, or for all objects of its Cluster; undefined: the read model does not hold it. */
export type ReadRuns = (
  kind: Kind,
  key: ObjectKey,
  selection: Omit<TimeLineSelection, "of"> & { readonly isAll: boolean },
) => Promise<TimeLine | undefined>;

/** Parts of a server that every route may use. */
export interface RouteContext {
  readonly functions: readonly AnyFunction[];
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  readonly dashboardsUrl?: string | undefined;
}
