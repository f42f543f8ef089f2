import { MANAGEMENT, workloadCluster } from "../../../shared/api/kinds.ts";
import type { Hint, Hints } from "../../../shared/runtime/queue/hints.ts";
import { parseKey } from "../../../shared/runtime/queue/key.ts";
import type { FleetIndex } from "../fleet/fleet-index.ts";
import type { Changed } from "../interest.ts";

/** Gathers changes, each name once. Disposing ends it. */
export interface Changes extends Disposable {
  take(): Changed;
}

export interface ChangeSources {
  /** The hints; absent where nothing says what changes. */
  readonly hints?: Hints | undefined;
  readonly fleet?: Pick<FleetIndex, "follow"> | undefined;
}

/** More names in a second are a gap. */
const MAX_NAMES = 20_000;

/** Follows the hints of queue and read model, and the fleet. */
export function followChanges({ hints, fleet }: ChangeSources): Changes {
  let gathered = emptyChanged();
  const gap = (): void => {
    gathered = { ...emptyChanged(), isGap: true };
  };
  const onHints = (some: readonly Hint[]): void => {
    // Everything is old already.
    if (gathered.isGap) return;
    for (const hint of some) add(gathered, hint);
    if (gathered.objects.size > MAX_NAMES) gap();
  };
  const following = [
    hints?.follow(onHints, gap),
    fleet?.follow((clusters) => {
      if (clusters === undefined) gap();
      gathered.fleet = true;
    }),
  ];
  return {
    take: () => {
      const taken = gathered;
      gathered = emptyChanged();
      return taken;
    },
    [Symbol.dispose]: () => {
      for (const one of following) one?.[Symbol.dispose]();
    },
  };
}

interface Gathered extends Changed {
  fleet: boolean;
  readonly keysOf: Set<string>;
  readonly lettersOf: Set<string>;
  readonly clusters: Set<string>;
  readonly objects: Set<string>;
}

function emptyChanged(): Gathered {
  return {
    isGap: false,
    fleet: false,
    keysOf: new Set(),
    lettersOf: new Set(),
    clusters: new Set(),
    objects: new Set(),
  };
}

function add(gathered: Gathered, hint: Hint): void {
  if (hint.of === "snapshot") {
    gathered.objects.add(workloadCluster(hint.key));
    if (hint.type.cluster !== MANAGEMENT) gathered.clusters.add(hint.type.cluster);
    return;
  }
  (hint.of === "keys" ? gathered.keysOf : gathered.lettersOf).add(hint.function);
  for (const key of hint.keys) {
    const parts = parseKey(key);
    if (parts === undefined) continue;
    gathered.clusters.add(parts.tenant);
    gathered.objects.add(workloadCluster(parts));
  }
}
