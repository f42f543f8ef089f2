import { bothMissing, isWrong, startBoth } from "../support/takeover-world.ts";
import { watchTimeLines } from "../support/time-lines.ts";
import { round } from "./capstan-process.ts";
import { writeResults } from "./results.ts";
import { loadNow, progress } from "./rounds.ts";

const CLUSTERS = 20;
/** Issue 18: at most so long without a controller. */
const GOALS = { filterSeconds: 5, leaseSeconds: 60 };

interface Moved {
  readonly moved: readonly {
    readonly cluster: string;
    readonly objects: number;
    readonly pausedMs: number;
  }[];
}

/**
 * 20 Clusters under edits beside Cluster API's manager on a real kube-apiserver, there and back: Cluster by Cluster, then
 * all at once. How long each had no controller, and whether two wrote.
 */
export async function takeoverBench(): Promise<void> {
  const missing = bothMissing();
  if (missing !== undefined) throw new Error(missing);
  const filter = await measure(["--watch-filter=capi"], ["start", "--yes"], "capi");
  const lease = await measure(["--leader-elect"], ["start", "--park-lease", "--yes"]);
  await writeResults("takeover", { clusters: CLUSTERS, goals: GOALS, load: loadNow(), filter, lease });
}

async function measure(flags: readonly string[], start: readonly string[], label?: string) {
  await using stack = new AsyncDisposableStack();
  progress(`${CLUSTERS} Clusters, Cluster API's manager with ${flags.join(" ")}`);
  const both = await startBoth(stack, {
    flags,
    clusters: CLUSTERS,
    ...(label === undefined ? {} : { label }),
  });
  const { client, fleet, core, takeover } = both;
  const uids = await fleet.uids();
  const lines = stack.use(await watchTimeLines(client));
  const handOver = async (args: readonly string[]) => {
    const edits = fleet.edit();
    const { code, output } = await takeover(...args, "-o", "json");
    await edits[Symbol.asyncDispose]();
    if (code !== 0) throw new Error(`capstan takeover ${args.join(" ")}: ${output}`);
    await fleet.untilEdited();
    const seconds = (JSON.parse(output) as Moved).moved
      .map(({ pausedMs }) => pausedMs / 1_000)
      .toSorted((a, b) => a - b);
    return {
      medianSeconds: round(seconds[seconds.length >> 1] ?? 0, 1),
      mostSeconds: round(seconds.at(-1) ?? 0, 1),
    };
  };
  const there = await handOver(start);
  progress(`start: ${JSON.stringify(there)}`);
  const back = await handOver(["back", "--yes"]);
  progress(`back: ${JSON.stringify(back)}`);
  const overlaps = lines.overlaps(isWrong);
  const same = JSON.stringify(uids) === JSON.stringify(await fleet.uids());
  const result = {
    there,
    back,
    overlaps: overlaps.length,
    deleted: lines.deleted.length,
    same,
    coreRestarts: core.restarts,
  };
  progress(JSON.stringify(result));
  for (const overlap of overlaps.slice(0, 10)) console.log(overlap);
  return result;
}
