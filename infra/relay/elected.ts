import type { ObjectKey } from "../../shared/api/kinds.ts";
import { SECOND } from "../../shared/function/backoff.ts";
import { WaitingError } from "../../shared/function/errors.ts";
import type { Clock, KubeClient, Log } from "../../shared/runtime/ports.ts";
import { rest } from "../platform/rest.ts";
import { createLeaseCandidate } from "./lease-candidate.ts";

/*
 * One of several processes works (KR-21):
 *
 *   standby ──lease free or expired──▶ leading ──not renewed for 10 s, or taken──▶ standby
 *
 * A standby does nothing but read the lease every 2 s.
 */
export interface ElectedOptions<Work> {
  readonly client: KubeClient;
  /** The Lease in the management cluster. */
  readonly lease: ObjectKey;
  /** Unique among all candidates. */
  readonly identity: string;
  readonly clock: Clock;
  readonly log: Log;
  /** The name for the log: `relay`, `manager`. */
  readonly role: string;
  /**
   * Starts the work of a leader; it is disposed of when the lease is lost. `mayWrite` throws WaitingError as soon as
   * another candidate may have taken over, also in a process that was stopped meanwhile. An error ends the candidate.
   */
  readonly lead: (mayWrite: () => void) => Promise<Work>;
}

export interface Elected<Work> extends AsyncDisposable {
  /** The work of the leader; undefined in a standby, and while the work starts. */
  readonly work: Work | undefined;
  /** The holder at the last look. */
  readonly leader: string | undefined;
  /** Resolves when the work is ready, or another candidate is known to lead. */
  ready(): Promise<void>;
  /** Resolves after disposing. Rejects when the work could not be started; the lease is free then. */
  readonly ended: Promise<void>;
}

/** Work that a leader does. */
interface Lead extends AsyncDisposable {
  ready(): Promise<void>;
}

/** How often a leader renews and a standby reads the lease. As client-go. */
const RETRY_MS = 2 * SECOND;

/** Starts a candidate. A leader that is disposed of renews until its work has ended, then frees the lease. */
export function startElected<Work extends Lead>(options: ElectedOptions<Work>): Elected<Work> {
  const { lease, identity, clock, log, role, lead } = options;
  const stop = new AbortController();
  const candidate = createLeaseCandidate({ client: options.client, key: lease, identity, clock });
  const ready = Promise.withResolvers<void>();
  let work: Work | undefined;
  const mayWrite = (): void => {
    if (!candidate.isHeld) throw new WaitingError(`Lease ${lease.namespace}/${lease.name}`);
  };
  const tryHold = async (): Promise<boolean> => {
    try {
      return await candidate.tryHold();
    } catch (error) {
      log.warn({ error: String(error) }, `the Lease of the ${role}s cannot be read or written; retrying`);
      return false;
    }
  };
  /** Resolves when the lease is lost or the signal aborts. */
  const renew = async (over: AbortSignal): Promise<void> => {
    while (!over.aborted && candidate.isHeld) {
      await rest(RETRY_MS, clock, over);
      if (!over.aborted) await tryHold();
    }
  };
  const term = async (): Promise<void> => {
    const over = new AbortController();
    const lost = renew(over.signal);
    try {
      await using started = await lead(mayWrite);
      work = started;
      started.ready().then(ready.resolve, () => undefined);
      await Promise.race([lost, aborted(stop.signal)]);
      work = undefined;
    } finally {
      over.abort();
      await lost;
    }
  };
  const run = async (): Promise<void> => {
    try {
      while (!stop.signal.aborted) {
        if (await tryHold()) {
          log.info({ identity }, `this ${role} leads`);
          await term();
          if (!stop.signal.aborted)
            log.warn({ identity, holder: candidate.holder }, `this ${role} no longer leads`);
        } else if (candidate.holder !== undefined) ready.resolve();
        await rest(RETRY_MS, clock, stop.signal);
      }
    } finally {
      await candidate.release().catch(() => undefined);
    }
  };
  const ended = run();
  // Disposing reports it, too.
  ended.catch(() => undefined);
  return {
    get work() {
      return work;
    },
    get leader() {
      return candidate.holder;
    },
    ready: () => ready.promise,
    ended,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
