import { type ObjectKey, workloadCluster } from "../../../shared/api/kinds.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import { createTimeSlices } from "../../platform/kube/list-bounds.ts";
import type { FleetItem } from "../api/fleet.ts";
import type { Stale } from "../api/page.ts";
import { clusterOfKey } from "./cluster-of-key.ts";
import { createFleetReader, type FleetSources } from "./fleet-reader.ts";
import { createFreshness } from "./freshness.ts";
import { createRoster, type FleetList, type FleetSelection } from "./roster.ts";
import { createTroubles } from "./troubles.ts";

/** All Clusters in the memory of this process, with their states in words; each call answers at once. */
export interface FleetIndex extends AsyncDisposable {
  /** Resolves when everything has been read once. */
  ready(): Promise<void>;
  /** Throws a TypeError for a limit out of range or a foreign cursor. */
  page(selection: FleetSelection): FleetList;
  cluster(key: ObjectKey): FleetItem | undefined;
  /** Returns why what is read from read model and queue is old; empty: it is current. */
  stale(): readonly Stale[];
  /**
   * Calls back with the names of Clusters that have changed, at most once a second; undefined: everything is old now, or
   * current again, or keys wait for a worker.
   */
  follow(onChange: (clusters: ReadonlySet<string> | undefined) => void): Disposable;
}

const TICK_MS = SECOND;
/** Time turns what is under way into what waits for long. */
const JUDGE_EVERY_MS = 10 * SECOND;

/** Starts to read; a Cluster is unknown until it has been read. Disposing stops it. */
export function startFleetIndex(sources: FleetSources): FleetIndex {
  const { clock } = sources;
  const troubles = createTroubles(sources.queue, clusterOfKey(sources));
  const roster = createRoster(troubles, clock);
  const freshness = createFreshness(["Clusters", "queue"], clock);
  const reader = createFleetReader(sources, { troubles, roster, freshness });
  const followers = new Set<Parameters<FleetIndex["follow"]>[0]>();
  const ready = Promise.withResolvers<void>();
  const judge = createJudge({ clock, roster, freshness });
  let staleBefore = "[[],[]]";
  let closed = false;
  let cancel = (): void => undefined;
  const tick = async (): Promise<void> => {
    await reader.read();
    await judge();
    if (freshness.asOf() !== undefined) ready.resolve();
    const changed = roster.takeChanged();
    const stale = JSON.stringify([freshness.stale(), [...roster.held()]]);
    const isOtherwiseOld = stale !== staleBefore;
    if (changed.size === 0 && !isOtherwiseOld) return;
    for (const onChange of followers) onChange(isOtherwiseOld ? undefined : changed);
    staleBefore = stale;
  };
  let underWay: Promise<void> = Promise.resolve();
  const next = (): void => {
    underWay = tick()
      .catch((error: unknown) => freshness.note("Clusters", `cannot be judged: ${String(error)}`))
      .then(() => {
        if (!closed) cancel = clock.after(TICK_MS, next);
      });
  };
  next();
  return {
    ready: () => ready.promise,
    page: (selection) => roster.page(selection),
    stale: () => freshness.stale(),
    cluster: (key) => roster.get(workloadCluster(key)),
    follow: (onChange) => {
      followers.add(onChange);
      return { [Symbol.dispose]: () => followers.delete(onChange) };
    },
    async [Symbol.asyncDispose]() {
      closed = true;
      cancel();
      reader[Symbol.dispose]();
      await underWay;
    },
  };
}

interface Judging {
  readonly clock: FleetSources["clock"];
  readonly roster: ReturnType<typeof createRoster>;
  readonly freshness: ReturnType<typeof createFreshness>;
}

/** Judges every Cluster again every 10 s, and at once when knowledge becomes old or current. */
function createJudge({ clock, roster, freshness }: Judging): () => Promise<void> {
  let judgedAt = 0;
  let stale: string | undefined;
  return async () => {
    const now = clock.now().getTime();
    const [first] = freshness.stale();
    if (first?.reason === stale && now - judgedAt < JUDGE_EVERY_MS) return;
    judgedAt = now;
    stale = first?.reason;
    roster.setStale(stale);
    const turn = createTimeSlices(clock);
    for (const name of roster.names()) {
      roster.judge(name);
      await turn();
    }
  };
}
