/** State of the targets of a health check now, for people; times are RFC 3339. */
export interface HealthReport {
  /** Why nothing is judged or handed over: it is paused, has no Cluster, or its selector cannot be read. */
  readonly held?: string;
  /** Fields of its spec that ask for something that no Node ever says: one text for each. */
  readonly remarks?: readonly string[];
  /** Other health checks that have targets of this one. */
  readonly overlap?: string;
  /** `unseen`: the workload cluster does not show them, so that no verdict changes. `unneeded`: none counts yet. */
  readonly nodes: "seen" | "unseen" | "unneeded";
  readonly counts: { readonly [verdict in TargetReport["verdict"]]: number };
  readonly limit?: LimitReport;
  /** Why unhealthy targets wait; absent: none of them waits. */
  readonly handOver?: Waiting;
  /** The targets, by name. */
  readonly targets: readonly TargetReport[];
}

/** Whether the limit of a health check allows remediation. */
interface LimitReport {
  /** Whether it is from the status, since no Node is visible; then `used` leaves out what only a Node can say. */
  readonly isStored?: true;
  readonly isAllowed: boolean;
  /** Why not. */
  readonly message?: string;
  /** Places that are used, also by targets that only seem healthy. */
  readonly used: number;
  /** Places that exist; absent: without limit, or it cannot be read. */
  readonly places?: number;
}

/** `because`: the rule that makes it wait, such as `calm`, `limit`, `places`, `live read`. */
interface Waiting {
  readonly because: string;
  readonly text: string;
  /** When time alone ends it. */
  readonly until?: string;
}

/** One target of a health check. */
export interface TargetReport {
  readonly machine: string;
  readonly verdict: "healthy" | "pending" | "unhealthy" | "neither" | "unknown";
  /** The reason of an unhealthy one. */
  readonly reason?: string;
  /** The findings of an unhealthy one: one text for each finding. */
  readonly findings?: readonly string[];
  readonly since?: string;
  /** When time alone changes something about it. */
  readonly next?: string;
  /** Who keeps its place of the limit; absent: it uses none. */
  readonly place?: string;
  /** The thing that its remediation waits for; absent where it needs none. */
  readonly waitsFor?: string;
  readonly request?: RequestReport;
}

/** The request to an external controller. */
export interface RequestReport {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly since?: string;
  readonly isDeleting?: true;
}
