import type { ObjectKey } from "../../shared/api/kinds.ts";
import { SECOND } from "../../shared/function/backoff.ts";
import { WaitingError } from "../../shared/function/errors.ts";
import { createLeaseCandidate, type LeaseCandidate } from "./lease.ts";
import { type Relay, type RelayOptions, startRelay } from "./relay.ts";
import { rest } from "./retry.ts";

/*
 * One of several relays is active (KR-21):
 *
 *   standby ──lease free or expired──▶ leading ──not renewed for 10 s, or taken──▶ standby
 *
 * A standby keeps no watches and reads the lease every 2 s. Two relays at once are harmless (delivery.ts), so the lease
 * saves watches and is not a lock: no event is lost or handled twice when a leader notices late that it was replaced.
 */
export interface ElectedRelayOptions extends RelayOptions {
  /** The Lease in the management cluster. */
  readonly lease: ObjectKey;
  readonly identity: string;
}

/** How often a leader renews and a standby reads the lease. As client-go. */
const RETRY_MS = 2 * SECOND;
/** A leader that could not renew for this long steps down, before a standby can have taken over. */
const RENEW_DEADLINE_MS = 10 * SECOND;

/** Returns the Lease of the relays that share one scope. Relays of other scopes lead beside them. */
export function relayLease(
  leaseNamespace: string,
  { namespace, watchFilter }: Pick<RelayOptions, "namespace" | "watchFilter">,
): ObjectKey {
  const scope = [namespace, watchFilter].filter((part) => part !== undefined).map((part) => `-${part}`);
  const name = `capstan-relay${scope.join("")}`.toLowerCase().replaceAll(/[^a-z0-9.-]/g, "-");
  return { namespace: leaseNamespace, name };
}

/** Starts a relay that works while it holds the lease. It is ready as a standby, too. */
export function startElectedRelay(options: ElectedRelayOptions): Relay {
  const { server, lease, identity, clock } = options;
  const abort = new AbortController();
  const candidate = createLeaseCandidate({ client: server.as("relay"), key: lease, identity });
  let leading: Relay | undefined;
  let becomeReady: () => void = () => undefined;
  const ready = new Promise<void>((resolve) => {
    becomeReady = resolve;
  });

  const lead = async () => {
    const relay = await startRelay(options);
    leading = relay;
    relay.ready().then(becomeReady, () => undefined);
    await holdOn(candidate, options, abort.signal);
    leading = undefined;
    await relay[Symbol.asyncDispose]();
  };
  const run = async () => {
    while (!abort.signal.aborted) {
      if (await tryHold(candidate, options)) {
        options.log.info({ identity }, "this relay leads");
        await lead();
        options.log.warn({ identity, holder: candidate.holder }, "this relay no longer leads");
      } else if (candidate.holder !== undefined) becomeReady();
      await rest(RETRY_MS, clock, abort.signal);
    }
    await candidate.release(clock.now()).catch(() => undefined);
  };
  const running = run();

  return {
    clients: {
      of(cluster, functionName, sending) {
        if (leading === undefined) throw new WaitingError(`Lease ${lease.namespace}/${lease.name}`);
        return leading.clients.of(cluster, functionName, sending);
      },
    },
    ready: () => ready,
    status: () => ({
      ...(leading?.status() ?? { ready: candidate.holder !== undefined, loops: [], connections: [] }),
      election: { identity, leader: candidate.holder },
    }),
    async [Symbol.asyncDispose]() {
      abort.abort();
      await running;
    },
  };
}

/** Resolves when the lease is lost or the signal aborts. */
async function holdOn(
  candidate: LeaseCandidate,
  options: ElectedRelayOptions,
  signal: AbortSignal,
): Promise<void> {
  const { clock, identity } = options;
  let renewedAt = clock.now().getTime();
  while (!signal.aborted && clock.now().getTime() - renewedAt < RENEW_DEADLINE_MS) {
    await rest(RETRY_MS, clock, signal);
    if (signal.aborted) return;
    if (await tryHold(candidate, options)) renewedAt = clock.now().getTime();
    else if (candidate.holder !== identity) return;
  }
}

async function tryHold(candidate: LeaseCandidate, { clock, log }: ElectedRelayOptions): Promise<boolean> {
  try {
    return await candidate.tryHold(clock.now());
  } catch (error) {
    log.warn({ error: String(error) }, "the Lease of the relays cannot be read or written; retrying");
    return false;
  }
}
