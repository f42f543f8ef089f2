import { TinyRedis, type Value } from "../../../infra/queue/backends/embedded/tiny-redis.ts";

/** As X-34 says. */
const MAX_LOSS_MS = 2_000;

/** The value of a key before the first change of an instant. */
interface Before {
  readonly at: number;
  readonly key: string;
  readonly value: Value | undefined;
}

/** The data of the ledger on a server that can lose its newest moments or all of it. */
export interface RememberingRedis {
  readonly redis: TinyRedis;
  /** Forgets every change after an instant, at most 2 s ago. */
  goBack(until: number): void;
  wipe(): void;
}

export function createRememberingRedis(now: () => number): RememberingRedis {
  let changes: Before[] = [];
  const known = new Set<string>();
  const onChange = (key: string): void => {
    const at = now();
    if (changes.at(-1)?.at !== at) {
      known.clear();
      if ((changes[0]?.at ?? at) < at - 2 * MAX_LOSS_MS)
        changes = changes.filter((change) => change.at >= at - MAX_LOSS_MS);
    }
    if (known.has(key)) return;
    known.add(key);
    changes.push({ at, key, value: redis.copyOf(key) });
  };
  const redis = new TinyRedis({ now, onChange });
  return {
    redis,
    goBack(until) {
      const lost = changes.filter(({ at }) => at > until).toReversed();
      for (const { key, value } of lost) redis.restore(key, value);
      changes = changes.filter(({ at }) => at <= until);
      known.clear();
    },
    wipe() {
      for (const key of redis.keys("")) redis.delete(key);
    },
  };
}
