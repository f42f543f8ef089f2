import { MANAGEMENT } from "../../../shared/api/kinds.ts";
import { KINDS } from "../../../shared/api/registry.ts";
import { GROUPS } from "../../../shared/function/groups.ts";
import type { DeathReason } from "../../../shared/runtime/letters/dead-letter.ts";
import { packageVersion } from "../../platform/package-version.ts";
import type { ResyncCause } from "../../relay/resync.ts";

/** Priorities as controller-runtime spells them: live keys 0, resync keys -100. */
export const PRIORITY = { live: "0", resync: "-100" } as const;

/** Reasons why watches end, from an API server or the client; any other reason is counted as `other`. */
const CAUSES = [
  "closed",
  "Bug",
  "Expired",
  "Forbidden",
  "Idle",
  "InternalError",
  "NoAnswer",
  "ServerTimeout",
  "ServiceUnavailable",
  "Timeout",
  "TooDeep",
  "TooLarge",
  "TooManyRequests",
  "TypeNotServed",
  "Unauthorized",
  "Undecodable",
  "VeryShortWatch",
  "WentBack",
] as const;

/** Statuses of an API server. */
const CODES = [
  200, 201, 202, 400, 401, 403, 404, 405, 406, 409, 410, 413, 415, 422, 429, 500, 501, 502, 503, 504,
].map(String);
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

export const RESYNC_CAUSES = ["start", "list", "restored", "period", "loss"] as const satisfies ResyncCause[];

export const LABEL_VALUES = {
  priority: Object.values(PRIORITY),
  class: ["live", "resync"],
  result: ["success", "error", "requeue", "requeue_after"],
  reason: ["MaxAttempts", "Terminal", "LeaseExpired", "Malformed"] satisfies DeathReason[],
  cause: [...CAUSES, ...RESYNC_CAUSES],
  server: ["management", "workload"],
  /** Kinds of providers are known only to the CRDs of a cluster; they share one value. */
  resource: [...KINDS.map(({ plural, group }) => (group === "" ? plural : `${plural}.${group}`)), "provider"],
  type: ["ADDED", "MODIFIED", "DELETED", "BOOKMARK"],
  code: [...CODES, "<error>"],
  method: METHODS,
  verb: METHODS,
  host: [MANAGEMENT, "workload"],
  group: GROUPS,
  certificate: ["queue", "diagnostics", "webhook"],
  version: [packageVersion()],
  nodeversion: [process.version],
  state: ["listing", "streaming", "backoff", "stopped", "connected", "unreachable", "unknown"],
} as const;
