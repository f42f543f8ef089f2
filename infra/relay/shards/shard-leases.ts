import type { ObjectKey } from "../../../shared/api/kinds.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import type { Clock, KubeClient, Log } from "../../../shared/runtime/ports.ts";
import { rest } from "../../platform/rest.ts";
import { freeSpec, heldSpec, Lease, writeLease } from "../lease.ts";
import { createLeaseAges } from "../lease-ages.ts";
import { type LeaseHold, startLeaseHold } from "../lease-hold.ts";
import { MAX_SHARDS, shardNames } from "./shard-names.ts";

/*
 * Which relays share the workload clusters. There are numbered Leases, `<name>-0` and so on; each relay holds
 * one, which is its shard:
 *
 *   none ──a Lease is free, expired or not there yet──▶ held ──taken by another relay──▶ none
 *
 * A shard is live while its Lease is renewed. A relay that cannot reach the API server keeps its shard and its view of
 * the others: no relay can see whether they still renew. `isHeld` is false from 7 s after its last renewal, because
 * others may see it expire. Until then it also publishes for Clusters of a relay that has begun or returned meanwhile.
 */
export interface ShardLeases extends AsyncDisposable {
  /** The Lease that this process holds; undefined while it holds none. */
  readonly shard: string | undefined;
  /** All live shards, sorted. */
  readonly shards: readonly string[];
  /** Whether the Lease was renewed so lately that all others see it as live. */
  isHeld(): boolean;
  /** Resolves after the first complete look at the Leases. */
  ready(): Promise<void>;
}

export interface ShardLeasesOptions {
  readonly client: KubeClient;
  /** Namespace of the Leases, and what their names begin with. */
  readonly lease: ObjectKey;
  /** Unique among all relays. */
  readonly identity: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when the shard or the live shards have changed. */
  readonly onChange: () => void;
}

/** How long the Lease of a shard lasts without renewal. Shorter than a leader's: its Clusters wait so long. */
const SHARD_LEASE_SECONDS = 10;
/** How often a Lease is renewed and the others are looked at. */
const LOOK_MS = 2 * SECOND;
/** The deadline before the Lease can have expired for another relay. */
const RENEW_DEADLINE_MS = 7 * SECOND;

/** Starts with a first look. Disposing frees the Lease at once: others take over within 2 s. */
export function startShardLeases(options: ShardLeasesOptions): ShardLeases {
  return new HeldShard(options);
}

class HeldShard implements ShardLeases {
  readonly #options: ShardLeasesOptions;
  readonly #ages = createLeaseAges();
  readonly #stop = new AbortController();
  readonly #ready = Promise.withResolvers<void>();
  readonly #ended: Promise<void>;
  #shard: string | undefined;
  #shards: readonly string[] = [];
  #hold: LeaseHold | undefined;

  constructor(options: ShardLeasesOptions) {
    this.#options = options;
    this.#ended = this.#run();
  }

  get shard(): string | undefined {
    return this.#shard;
  }

  get shards(): readonly string[] {
    return this.#shards;
  }

  isHeld(): boolean {
    return this.#hold?.isOver === false;
  }

  ready(): Promise<void> {
    return this.#ready.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#look().catch((error: unknown) => {
        log.warn({ error: String(error) }, "the Leases of the shards cannot be read or written; retrying");
      });
      await rest(LOOK_MS, clock, signal);
    }
    this.#hold?.end();
    await this.#release().catch(() => undefined);
  }

  async #look(): Promise<void> {
    const { clock } = this.#options;
    const askedAt = clock.now();
    const found = await this.#leases(askedAt);
    const own = found.find((lease) => this.#isOurs(lease));
    const held = await (own === undefined
      ? this.#claim(found, askedAt)
      : this.#take(own.metadata.name, own, askedAt));
    if (held !== undefined) {
      this.#hold?.end();
      this.#hold = startLeaseHold(clock, askedAt, RENEW_DEADLINE_MS);
    }
    // A renewal that was overtaken: the next look shows whether the Lease was lost or only edited.
    const shard = held ?? own?.metadata.name;
    // Others that begin at the same moment hold theirs by now.
    const now = own === undefined ? await this.#leases(askedAt) : found;
    const others = now.filter(({ metadata }) => metadata.name !== shard);
    const live = others.filter((lease) => this.#ages.isLive(lease, SHARD_LEASE_SECONDS));
    const names = live.map(({ metadata }) => metadata.name);
    this.#change(shard, [...names, ...(shard === undefined ? [] : [shard])].toSorted(compareText));
    this.#ready.resolve();
    for (const lease of others) if (!live.includes(lease)) await this.#free(lease);
  }

  /**
   * Frees a Lease that has expired: relays that began later would wait longer for it, and Clusters would belong to none
   * in the meantime. A renewal that is faster wins.
   */
  async #free(lease: Lease): Promise<void> {
    const { spec, metadata } = lease;
    if ((spec?.holderIdentity ?? "") === "") return;
    const { client, clock, log } = this.#options;
    const key = this.#keyOf(metadata.name);
    if (await writeLease(client, key, { lease, spec: freeSpec(spec, clock.now()) }))
      log.warn({ shard: metadata.name, holder: spec?.holderIdentity }, "a relay no longer renews its Lease");
  }

  #change(shard: string | undefined, shards: readonly string[]): void {
    const { log, identity, onChange } = this.#options;
    const isSame = shard === this.#shard && shards.join() === this.#shards.join();
    if (isSame) return;
    this.#shard = shard;
    this.#shards = shards;
    log.info(
      { identity, shard, shards: shards.length },
      "the relays that share the workload clusters changed",
    );
    onChange();
  }

  async #leases(now: Date): Promise<readonly Lease[]> {
    const { client, lease } = this.#options;
    const { items } = await client.list(Lease, { namespace: lease.namespace });
    const names = new Set(this.#names());
    const leases = items.filter(({ metadata: { name } }) => names.has(name));
    this.#ages.seen(leases, now);
    return leases;
  }

  /** Takes the first Lease that can be had. Returns its name. */
  async #claim(leases: readonly Lease[], now: Date): Promise<string | undefined> {
    for (const name of this.#names()) {
      const lease = leases.find(({ metadata }) => metadata.name === name);
      if (lease !== undefined && this.#ages.isLive(lease, SHARD_LEASE_SECONDS)) continue;
      const taken = await this.#take(name, lease, now);
      if (taken !== undefined) return taken;
    }
    this.#options.log.warn({ shards: MAX_SHARDS }, "every shard is held; this relay stands by");
    return undefined;
  }

  /** Takes or renews a Lease. Returns its name, undefined when another relay was faster. */
  async #take(name: string, lease: Lease | undefined, now: Date): Promise<string | undefined> {
    const { client, identity } = this.#options;
    const spec = heldSpec(lease?.spec, { identity, seconds: SHARD_LEASE_SECONDS, now });
    return (await writeLease(client, this.#keyOf(name), { lease, spec })) ? name : undefined;
  }

  async #release(): Promise<void> {
    if (this.#shard === undefined) return;
    const { client, clock } = this.#options;
    const key = this.#keyOf(this.#shard);
    const lease = await client.get(Lease, key);
    if (lease !== undefined && this.#isOurs(lease))
      await writeLease(client, key, { lease, spec: freeSpec(lease.spec, clock.now()) });
  }

  #isOurs({ spec }: Lease): boolean {
    return spec?.holderIdentity === this.#options.identity;
  }

  #names(): readonly string[] {
    return shardNames(this.#options.lease.name);
  }

  #keyOf(name: string): ObjectKey {
    return { namespace: this.#options.lease.namespace, name };
  }
}
