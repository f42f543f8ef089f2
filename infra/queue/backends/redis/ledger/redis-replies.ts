import type { Key } from "../../../../../shared/runtime/queue/key.ts";
import type { SeenDeath } from "../../../../../shared/runtime/queue/queue-control.ts";
import type {
  Cause,
  Counted,
  Failure,
  Fence,
  KeyState,
  Outcome,
  Priority,
  QueueDepth,
  QueueEntry,
  TenantDepth,
} from "../../../../../shared/runtime/queue/queue-port.ts";
import type { QueuePeek } from "../../../../../shared/runtime/queue/queue-reader.ts";
import type { Claim, ClaimTerms } from "../../../claim.ts";
import { floorMs, MAX_CAUSES } from "../../../claim.ts";
import type { Change, ExpiredLease, KeyDeath, Token } from "../../../tokens/token-ledger.ts";
import type { Argument } from "./redis-scripts.ts";

/** Returns an event as the arguments that `lua/enqueue.lua` takes; the others follow the headers of their scripts. */
export function eventArguments({ key, delayMs = 0, priority, cause }: QueueEntry): readonly Argument[] {
  return [key, wholeMs(delayMs), priority === "live" ? 1 : 0, cause === undefined ? "" : causeText(cause)];
}

export function requeueArguments(seen: readonly SeenDeath[], cause: Cause): readonly Argument[] {
  return [causeText(cause), ...seen.flatMap(({ key, deadSince }) => [key, deadSince.getTime()])];
}

export function claimArguments(token: Token, terms: ClaimTerms): readonly Argument[] {
  return [token.key, token.seq, terms.owner, terms.anyKey === true ? 1 : 0, ...termsArguments(terms)];
}

export function finishArguments(
  claim: Claim & ClaimTerms,
  outcome: Outcome,
  next: ClaimTerms | undefined,
): readonly Argument[] {
  const after = outcome.type === "error" || outcome.afterMs === undefined ? "" : wholeMs(outcome.afterMs);
  const failure = outcome.type === "error" ? JSON.stringify(outcome.failure) : "";
  const terminal = outcome.type === "error" && outcome.terminal ? 1 : 0;
  const floor = wholeMs(floorMs(outcome, claim.minIntervalMs));
  const end = [claim.key, claim.owner, outcome.type, after, floor, fencesText(outcome), failure, terminal];
  return [...end, next?.owner ?? "", ...termsArguments(next ?? claim)];
}

function fencesText({ fences }: Outcome): string {
  if (fences === undefined) return "kept";
  return fences.length === 0 ? "" : JSON.stringify(fences);
}

function termsArguments({ leaseMs, attempts, minIntervalMs, ...limits }: ClaimTerms) {
  const { maxRunningPerTenant = 0, namespaceRunsPerSecond = 0 } = limits;
  return [leaseMs, attempts, minIntervalMs, maxRunningPerTenant, namespaceRunsPerSecond];
}

function wholeMs(ms: number): number {
  return Math.max(0, Math.ceil(ms));
}

/** Returns a short text: every waiting key keeps several of them. */
function causeText({ what, resourceVersion, traceparent }: Cause): string {
  if (traceparent !== undefined) return `${what}\t${resourceVersion ?? ""}\t${traceparent}`;
  return resourceVersion === undefined ? what : `${what}\t${resourceVersion}`;
}

function causeOf(text: unknown): Cause {
  const [what = "", resourceVersion = "", traceparent] = String(text).split("\t");
  return {
    what,
    ...(resourceVersion === "" ? {} : { resourceVersion }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

export function claimOf(reply: unknown, owner: string): Claim | undefined {
  if (!Array.isArray(reply)) return undefined;
  const [key, failures, retries, fences, readyMs, claimedAtMs, ...causes] = reply;
  return {
    key: String(key),
    owner,
    failures: Number(failures),
    retries: Number(retries),
    causes: causes.map(causeOf),
    fences: fences === "" ? [] : (JSON.parse(String(fences)) as Fence[]),
    readyMs: Number(readyMs),
    claimedAtMs: Number(claimedAtMs),
  };
}

/** Reads the fields of an entry (`lua/ledger.lua`); fields that its state does not use may be left over. */
export function keyStateOf(fields: Readonly<Record<string, string | undefined>>): KeyState | undefined {
  const { st = "", due, at, s: startedAt, ds, o: owner, f = "0", fl } = fields;
  const state = STATES[st];
  if (state === undefined) return undefined;
  const since = { waiting: undefined, ready: at, running: startedAt, dead: ds }[state];
  const texts = Array.from({ length: MAX_CAUSES }, (_, index) => fields[`c${index}`] ?? "");
  const end = texts.indexOf("");
  return {
    state,
    ...(since === undefined ? {} : { since: new Date(Number(since)) }),
    ...((state === "waiting" || state === "dead") && due !== undefined
      ? { until: new Date(Number(due)) }
      : {}),
    ...(state !== "dead" && ds !== undefined ? { deadSince: new Date(Number(ds)) } : {}),
    ...(state === "running" && owner !== undefined ? { owner } : {}),
    causes: (end < 0 ? texts : texts.slice(0, end)).map(causeOf),
    failures: Number(f),
    ...(Number(f) > 0 && fl !== undefined ? { failure: JSON.parse(fl) as Failure } : {}),
  };
}

export interface Reply {
  readonly change: Change;
  readonly counts: readonly (readonly [what: Counted, times: number])[];
  readonly results: readonly unknown[];
}

export function replyOf(reply: unknown): Reply {
  const [waitMs, tokens, deaths, counts, ...results] = listOf(reply);
  return {
    change: {
      accepted: true,
      tokens: inGroups(4, tokens).map(
        ([key, seq, priority, rank]): Token => ({
          key: String(key),
          seq: String(seq),
          priority: priorityOf(priority),
          rank: Number(rank),
        }),
      ),
      deaths: listOf(deaths).map(deathOf),
      waitMs: Number(waitMs) < 0 ? undefined : Number(waitMs),
    },
    counts: inGroups(2, counts).map(([what, times]) => [what as Counted, Number(times)]),
    results,
  };
}

function deathOf(reply: unknown): KeyDeath {
  const [key, priority, failures, since, owner, failure, ranBy, claimedAt] = listOf(reply);
  return {
    key: String(key),
    priority: priorityOf(priority),
    failures: Number(failures),
    since: new Date(Number(since)),
    owner: String(owner),
    failure: JSON.parse(String(failure)) as Failure,
    ranBy: String(ranBy),
    startedAt: new Date(Number(claimedAt)),
  };
}

/** Reads a result of `tick.lua`. */
export function expiredLeaseOf(reply: unknown): ExpiredLease {
  const [key, failures, retries, owner, claimedAt] = listOf(reply);
  return {
    key: String(key),
    failures: Number(failures),
    retries: Number(retries),
    owner: String(owner),
    startedAt: new Date(Number(claimedAt)),
  };
}

/** Returns the change of one of several keys: the first gets the tokens, each gets its own death. */
export function changeFor(key: Key, index: number, { change }: Reply): Change {
  const deaths = change.deaths.filter((death) => death.key === key);
  return index === 0 ? { ...change, deaths } : { ...change, deaths, tokens: [] };
}

function inGroups(size: number, list: unknown): readonly (readonly unknown[])[] {
  const all = listOf(list);
  const groups: unknown[][] = [];
  for (let start = 0; start < all.length; start += size) groups.push(all.slice(start, start + size));
  return groups;
}

function priorityOf(priority: unknown): Priority {
  return priority === "1" ? "live" : "resync";
}

export function depthOf(reply: unknown): QueueDepth {
  const all = listOf(reply);
  const [ready = 0, waiting = 0, running = 0, dead = 0, nextDueMs = -1, readyResync = 0] = all.map(Number);
  const [live = -1, resync = -1, paused = 0, breakerOpen = 0, deadEvicted = 0] = all.slice(6).map(Number);
  const tenants = tenantsOf(listOf(all[11]));
  const [tickLagMs = 0, runs = 0, busyMs = 0] = all.slice(12).map(Number);
  return {
    ready,
    waiting,
    running,
    dead,
    ...(nextDueMs < 0 ? {} : { nextDueMs }),
    ...(tickLagMs > 0 ? { tickLagMs } : {}),
    ...(ready > 0 ? { readyResync } : {}),
    ...(live < 0 && resync < 0
      ? {}
      : { oldestReadyMs: { ...(live < 0 ? {} : { live }), ...(resync < 0 ? {} : { resync }) } }),
    ...(paused === 1 ? { paused: true } : {}),
    ...(all[16] === 1 ? { pausedInBullmq: true } : {}),
    ...(breakerOpen === 1 ? { breakerOpen: true } : {}),
    ...(deadEvicted > 0 ? { deadEvicted } : {}),
    ...(tenants.size > 0 ? { tenants: Object.fromEntries(tenants) } : {}),
    ...(runs > 0 ? { lastMinute: { runs, busyMs } } : {}),
  };
}

/** Reads the same reply with counts. */
export function peekOf(reply: unknown): QueuePeek {
  const [failures = 0, ...durations] = listOf(listOf(reply)[15]).map(Number);
  return { ...depthOf(reply), counts: { failures, durations } };
}

type State = Exclude<keyof TenantDepth, "readyResync">;
const STATES: Readonly<Record<string, State>> = { w: "waiting", q: "ready", r: "running", d: "dead" };

/** Reads the counts by tenant (`lua/ledger.lua`). A Map: tenants are foreign text, and may be `__proto__`. */
export function tenantsOf(fields: readonly unknown[]): ReadonlyMap<string, TenantDepth> {
  const tenants = new Map<string, TenantDepth>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, counted = "", tenant = ""] = /^(q.|.)(.*)$/s.exec(String(fields[at])) ?? [];
    const count = Number(fields[at + 1]);
    const counts = tenants.get(tenant) ?? { ready: 0, waiting: 0, running: 0, dead: 0 };
    const state = STATES[counted.charAt(0)];
    // Ready keys of class resync are in the resync line, or have aged out of it.
    const isResync = counted === "q0" || counted === "a";
    tenants.set(tenant, {
      ...counts,
      ...(state === undefined ? {} : { [state]: counts[state] + count }),
      ...(isResync ? { readyResync: (counts.readyResync ?? 0) + count } : {}),
    });
  }
  return tenants;
}

function listOf(reply: unknown): readonly unknown[] {
  if (!Array.isArray(reply)) throw new Error("bug: a ledger script did not give a list");
  return reply;
}
