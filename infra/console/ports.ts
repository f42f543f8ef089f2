import type { Event } from "../../shared/api/core.ts";
import type { Kind, KubeObject, ObjectKey } from "../../shared/api/kinds.ts";
import type { AnyFunction } from "../../shared/function/define-function.ts";
import type { DeadLetter } from "../../shared/runtime/letters/dead-letter.ts";
import type { DeadLetters } from "../../shared/runtime/letters/dead-letters-port.ts";
import type { Clock, Log } from "../../shared/runtime/ports.ts";
import type { QueueReader } from "../../shared/runtime/queue/queue-reader.ts";
import type { Samples } from "../../shared/runtime/queue/samples.ts";
import type { SiblingPage, SiblingSelection } from "../operate/explain/sibling-page.ts";
import type { TimeLine, TimeLineSelection } from "../operate/explain/time-line.ts";
import type { ReadUnserved } from "../operate/explain/unserved.ts";
import type { ApartResult } from "../operate/replay/replay-apart.ts";
import type { RolloutText } from "../operate/rollout/rollout-text.ts";
import type { FieldOwner } from "../platform/kube/take-over.ts";
import type { KnownHead } from "../queue/letters/known-deaths.ts";
import type { ClusterAnswer } from "./api/object.ts";
import type { SearchAnswer } from "./api/page.ts";
import type { RelayAnswer } from "./api/relay.ts";
import type { FleetIndex } from "./fleet/fleet-index.ts";
import type { Control, Jobs } from "./jobs/jobs.ts";
import type { Trials } from "./jobs/trials.ts";
import type { Sight } from "./viewer.ts";

/** Data behind the routes. A route whose data are missing does not exist. */
export interface Ports {
  readonly queue?: QueueReader | undefined;
  /** Reads which functions no process serves; absent where that is not known. */
  readonly unserved?: ReadUnserved | undefined;
  readonly letters?: Pick<DeadLetters, "page" | "get"> | undefined;
  readonly heads?: ReadHeads | undefined;
  readonly replay?: ReplayLetter | undefined;
  readonly trials?: Trials | undefined;
  readonly fleet?: Pick<FleetIndex, "page" | "stale" | "follow"> | undefined;
  readonly explain?: Explain | undefined;
  readonly children?: ReadChildren | undefined;
  readonly runs?: ReadRuns | undefined;
  readonly live?: ReadLive | undefined;
  readonly samples?: Samples["read"] | undefined;
  readonly search?: Search | undefined;
  readonly relay?: (() => Promise<Omit<RelayAnswer, "asOf" | "stale">>) | undefined;
  /** Only with --actions, as `jobs`. */
  readonly control?: Control | undefined;
  readonly jobs?: Jobs | undefined;
}

/** Heads of dead letters, the longest dead first. */
export type ReadHeads = () => Promise<readonly KnownHead[]>;

/** Replays one letter. Throws the Problem of too many that wait. */
export type ReplayLetter = (letter: DeadLetter) => Promise<ApartResult>;

/** Everything about an object; undefined: the read model does not hold it. */
export type Explain = (kind: Kind, key: ObjectKey) => Promise<ExplainedObject | undefined>;

export interface ExplainedObject extends Pick<ClusterAnswer, "tree" | "causes"> {
  readonly object: KubeObject;
  /** The steps of its rollout; absent for other kinds than MachineDeployment. */
  readonly rollout?: RolloutText | undefined;
}

/** Objects of one kind below an object; undefined: the read model does not hold that object. */
type ReadChildren = (
  kind: Kind,
  key: ObjectKey,
  selection: SiblingSelection,
) => Promise<SiblingPage | undefined>;

/**
 * Reads an object and its Events from the API server, as the owner of the token; without one as the account of this
 * process. Undefined: it does not exist. Throws KubeError when the API server refuses the object.
 */
export type ReadLive = (
  kind: Kind,
  key: ObjectKey,
  token: string | undefined,
) => Promise<LiveObject | undefined>;

interface LiveObject extends LiveEvents {
  /** Who wrote each field. */
  readonly managers: readonly FieldOwner[];
  /** The object without managedFields and secrets. */
  readonly manifest: KubeObject;
}

export interface LiveEvents {
  /** The newest first. */
  readonly events: readonly Event[];
  /** Why there are none; undefined: they were read. */
  readonly eventsMissing?: string | undefined;
}

/** Finds places with a text in their names, among those that a viewer sees; best first, at most 20. */
type Search = (asked: { readonly q: string; readonly sight: Sight }) => Promise<SearchAnswer["items"]>;

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
  /** The start of commands to copy; default: `capstan`, which finds its servers by itself. */
  readonly commandLine?: CommandLine | undefined;
}

/** How a person runs commands on the machine of the console. */
export interface CommandLine {
  /** `capstan`, or how a clone starts it. */
  readonly capstan: string;
  /** Options that name the management cluster, for kubectl too; each begins with a blank. */
  readonly cluster: string;
  /** Options that name the queue or the dead letters. */
  readonly queue: string;
}
