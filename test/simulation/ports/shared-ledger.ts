import {
  createEmbeddedLedger,
  createScripts,
  type LedgerHost,
} from "../../../infra/queue/backends/embedded/embedded-ledger.ts";
import {
  claimOf,
  expiredLeaseOf,
  keyStateOf,
  replyOf,
} from "../../../infra/queue/backends/redis/ledger/redis-replies.ts";
import { ledgerPrefix } from "../../../infra/queue/backends/redis/ledger/redis-scripts.ts";
import type { Claim, ClaimTerms } from "../../../infra/queue/claim.ts";
import { deathReason } from "../../../infra/queue/claim.ts";
import { RESEND_MS } from "../../../infra/queue/limits.ts";
import type { TokenLedger } from "../../../infra/queue/tokens/token-ledger.ts";
import type { Death } from "../../../shared/runtime/letters/dead-letters-port.ts";
import type { Key } from "../../../shared/runtime/queue/key.ts";
import type { KeyState, Outcome, QueueEntry } from "../../../shared/runtime/queue/queue-port.ts";
import type { Kernel, Operation, Process } from "../kernel/kernel.ts";
import { createRememberingRedis } from "./remembering-redis.ts";

/** A call of the ledger by one process. */
export interface LedgerOperation extends Operation {
  readonly kind: "ledger";
  readonly call: string;
  readonly functionName: string;
  /** Of the claim that it is about. */
  readonly owner?: string | undefined;
  /** The ledger does not answer. */
  fail(error: Error): void;
}

/** One end of a run, as the ledger has accepted it. */
interface Finished {
  readonly functionName: string;
  readonly claim: Claim & ClaimTerms;
  readonly outcome: Outcome;
  readonly accepted: boolean;
}

/** A failure that the ledger has counted: of a run, or an expired lease. A death may be reported again. */
interface CountedFailure {
  readonly key: Key;
  readonly death: Death | undefined;
}

/** The ledger that several processes share: the scripts that Redis runs (`infra/queue/backends/redis/ledger/lua`), a network away. */
export interface SharedLedger {
  of(process: Process): TokenLedger;
  /** Everything is gone; processes see another epoch. */
  wipe(): void;
  /** It has failed over: the newest so many ms are lost, processes see another epoch. */
  goBack(ms: number): void;
  /** It may have lost something: processes see another epoch. */
  newEpoch(): void;
  /** Ends the leases of running keys although their runs continue, by a tick whose process ends before it acts. */
  expireLeases(): void;
  onFinish(observer: (finished: Finished) => void): void;
  onClaim(observer: (functionName: string, claim: Claim) => void): void;
  /** Called before the ledger has it. */
  onEnqueue(observer: (functionName: string, entry: QueueEntry) => void): void;
  onRenew(observer: (functionName: string, claim: Claim) => void): void;
  onFailure(observer: (functionName: string, failed: CountedFailure) => void): void;
  onWipe(observer: () => void): void;
  /** Where a key stands, beside the scheduler; undefined = idle. */
  stateOf(functionName: string, key: Key): KeyState | undefined;
  /** Whether its state is `running`: asked with every claim, of every key that was. */
  isRunning(functionName: string, key: Key): boolean;
  /** Ready keys whose token is under way, and since when, ms since the epoch. */
  tokened(functionName: string): ReadonlyMap<Key, number>;
  /** Ready keys without a token, in the order in which workers find them. */
  line(functionName: string): readonly Key[];
  /** Keys that are neither idle nor dead. */
  busy(): number;
}

/** Keys per index and call of a tick: all. */
const ALL = 1_000_000;

export function createSharedLedger(kernel: Kernel, host: LedgerHost): SharedLedger {
  const random = kernel.chance("ledger");
  const { redis, goBack, wipe } = createRememberingRedis(() => kernel.now);
  const scripts = createScripts({ host, redis, random });
  const functions = new Set<string>();
  const finishes: ((finished: Finished) => void)[] = [];
  const claims: ((functionName: string, claim: Claim) => void)[] = [];
  const enqueued: ((functionName: string, entry: QueueEntry) => void)[] = [];
  const renewed: ((functionName: string, claim: Claim) => void)[] = [];
  const failed: ((functionName: string, failure: CountedFailure) => void)[] = [];
  const wiped: (() => void)[] = [];
  let epoch = 1;
  /** Looks at the reply of the script that is running. */
  let look: (reply: unknown) => void = () => undefined;
  const inner = createEmbeddedLedger({
    redis,
    run(script, functionName, args) {
      functions.add(functionName);
      const reply = scripts(script, functionName, args);
      if (script === "tick") noteTick(functionName, reply);
      look(reply);
      return reply;
    },
  });
  const looking = <T>(observer: (reply: unknown) => void, make: () => Promise<T>): Promise<T> => {
    look = observer;
    const made = make();
    look = () => undefined;
    return made;
  };

  const noteFailure = (name: string, failure: CountedFailure): void => {
    for (const observer of failed) observer(name, failure);
  };
  const noteTick = (name: string, reply: unknown): void => {
    const { change, results } = replyOf(reply);
    for (const { key } of results.slice(1).map(expiredLeaseOf)) noteFailure(name, { key, death: undefined });
    for (const { key, priority: wanted, since, failure } of change.deaths)
      noteFailure(name, { key, death: { reason: deathReason(failure), priority: wanted, since } });
  };
  const noteClaim = (name: string, claim: Claim | undefined): void => {
    if (claim !== undefined) for (const observer of claims) observer(name, claim);
  };
  const noteFinish = (
    { functionName, claim, outcome, accepted }: Finished,
    reply: unknown,
    next: ClaimTerms | undefined,
  ): void => {
    const { change, results } = replyOf(reply);
    const isAccepted = accepted && results[0] === 1;
    const [dying] = change.deaths.filter(({ key }) => key === claim.key);
    const death = dying && { ...dying, reason: deathReason(dying.failure) };
    if (isAccepted && outcome.type === "error") noteFailure(functionName, { key: claim.key, death });
    for (const observer of finishes) observer({ functionName, claim, outcome, accepted: isAccepted });
    noteClaim(functionName, claimOf(results[1], next?.owner ?? ""));
  };

  const entryOf = (name: string, key: Key) => redis.hash(`${ledgerPrefix(name)}k:${key}`);
  const indexOf = (name: string, index: string) => redis.sorted(ledgerPrefix(name) + index);
  const keysIn = (name: string, index: string): readonly Key[] =>
    indexOf(name, index)
      .range(0, -1)
      .map(({ member }) => member);

  const of = (process: Process): TokenLedger => {
    const call = <T>(
      functionName: string,
      name: string,
      make: () => Promise<T>,
      owner?: string,
    ): Promise<T> =>
      new Promise((resolve, reject) => {
        const operation: LedgerOperation = {
          process,
          kind: "ledger",
          call: name,
          functionName,
          owner,
          isQuiet: name === "tick",
          what: () => `${name} ${functionName}`,
          run: () => void make().then(resolve, reject),
          fail: reject,
        };
        kernel.post(operation);
      });
    return {
      enqueue: (name, entries) =>
        call(name, `enqueue ${entries.map(({ key }) => key).join()}`, () => {
          for (const entry of entries) for (const observer of enqueued) observer(name, entry);
          return inner.enqueue(name, entries);
        }),
      claim: (name, token, terms) =>
        call(name, "claim", () =>
          looking(
            (reply) => noteClaim(name, claimOf(replyOf(reply).results[0], terms.owner)),
            () => inner.claim(name, token, terms),
          ),
        ),
      finish: (name, claim, outcome, next) =>
        call(
          name,
          `finish ${claim.key} ${outcome.type}`,
          () => {
            // A worker may finish a key that is dying of its run: it only reports the death once more.
            const accepted = !entryOf(name, claim.key).has("dy");
            return looking(
              (reply) => noteFinish({ functionName: name, claim, outcome, accepted }, reply, next),
              () => inner.finish(name, claim, outcome, next),
            );
          },
          claim.owner,
        ),
      renew: (name, claim) =>
        call(name, `renew ${claim.key}`, () =>
          looking(
            (reply) => {
              if (reply === 1) for (const observer of renewed) observer(name, claim);
            },
            () => inner.renew(name, claim),
          ),
        ),
      markDead: (name, death) => call(name, `markDead ${death.key}`, () => inner.markDead(name, death)),
      release: (name, claim) => call(name, `release ${claim.key}`, () => inner.release(name, claim)),
      tick: (name) => call(name, "tick", () => inner.tick(name)),
      nextTickMs: (name) => inner.nextTickMs?.(name),
      // Ticks are rare here, and only replace work of a killed process.
      takeTicks: async () => true,
      pause: (name, paused) => call(name, "pause", () => inner.pause(name, paused)),
      requeue: (name, seen, cause) => call(name, "requeue", () => inner.requeue(name, seen, cause)),
      depth: (name) => call(name, "depth", () => inner.depth(name)),
      dead: (name) => call(name, "dead", () => inner.dead(name)),
      peek: (name) => call(name, "peek", () => inner.peek(name)),
      topTenants: (name, limit, namespaces) =>
        call(name, "topTenants", () => inner.topTenants(name, limit, namespaces)),
      countsIn: (name, namespaces) => call(name, "countsIn", () => inner.countsIn(name, namespaces)),
      keys: (name, selection) => call(name, "keys", () => inner.keys(name, selection)),
      keyState: (name, key) => call(name, "keyState", () => inner.keyState(name, key)),
      epoch: (name) => call(name, "epoch", async () => String(epoch)),
    };
  };

  const lost = (): void => {
    epoch += 1;
    for (const observer of wiped) observer();
  };
  return {
    of,
    wipe() {
      wipe();
      lost();
    },
    goBack(ms) {
      goBack(kernel.now - ms);
      lost();
    },
    newEpoch() {
      epoch += 1;
    },
    expireLeases() {
      for (const name of functions) {
        const running = keysIn(name, "running").filter((key) => !entryOf(name, key).has("dy"));
        for (const key of running) redis.call("ZADD", `${ledgerPrefix(name)}running`, kernel.now, key);
        if (running.length > 0) noteTick(name, scripts("tick", name, [ALL]));
      }
    },
    onFinish: (observer) => void finishes.push(observer),
    onClaim: (observer) => void claims.push(observer),
    onEnqueue: (observer) => void enqueued.push(observer),
    onRenew: (observer) => void renewed.push(observer),
    onFailure: (observer) => void failed.push(observer),
    onWipe: (observer) => void wiped.push(observer),
    stateOf(name, key) {
      const found = keyStateOf(Object.fromEntries(entryOf(name, key)));
      if (found?.state !== "running") return found;
      return { ...found, until: new Date(indexOf(name, "running").scoreOf(key) ?? 0) };
    },
    isRunning: (name, key) => entryOf(name, key).get("st") === "r",
    tokened: (name) =>
      new Map(
        indexOf(name, "resend")
          .range(0, -1)
          .map(({ member, score }) => [member, score - RESEND_MS]),
      ),
    line: (name) => keysIn(name, "queue"),
    busy: () =>
      [...functions]
        .flatMap((name) => ["waiting", "sent", "running"].map((index) => indexOf(name, index).size))
        .reduce((sum, size) => sum + size, 0),
  };
}
