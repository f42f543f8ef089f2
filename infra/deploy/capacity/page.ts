import { alignedTable } from "../../platform/markdown-table.ts";
import { type Fleet, needsOf, type Scale, type Shard } from "./model.ts";

/** Figures of a bench, with the run that they come from. */
interface Measured<Figures> extends Run {
  readonly figures: Figures;
}

interface Run {
  readonly bench: string;
  readonly day: string;
  readonly commit: string;
  readonly machine: string;
}

/** Renewed by hand from `test/bench/results/shard.json` when that bench has run again. */
const SHARD: Measured<Shard> = {
  bench: "shard",
  day: "2026-11-23",
  commit: "f9a99751",
  machine: "2 cores of AMD EPYC",
  figures: {
    clusters: 500,
    idleMiB: 141,
    mibPerConnection: 0.472,
    restCpuMsPerClusterMinute: 2.76,
    heartbeatMicros: 152,
    redisCallsPerClusterSecond: 2.62,
    redisRestCpuPercent: 1,
    redisBytesPerNode: 1567,
  },
};

/** Renewed by hand from `test/bench/results/scale.json`. */
const SCALE: Measured<Scale> = {
  bench: "scale",
  day: "2026-11-28",
  commit: "7871b672",
  machine: "2 cores of AMD EPYC",
  figures: { cpuMsPerRun: 0.284, efficiency: 0.88, redisCores: 0.48 },
};

const NODES_PER_CLUSTER = 20;
const FLEETS: readonly Fleet[] = [100, 1_000, 10_000].map((clusters) => ({
  clusters,
  nodesPerCluster: NODES_PER_CLUSTER,
}));

/** Returns the capacity model as Markdown, from the figures of the benches. */
export function capacityPage(): string {
  const columns = FLEETS.map((fleet) => needsOf(fleet, { shard: SHARD.figures, scale: SCALE.figures }));
  const header = FLEETS.map(({ clusters }) => `${clusters.toLocaleString("en-US")} Clusters`);
  const last = columns.at(-1) ?? [];
  const needs = last.map(({ what }, row) => [what, ...columns.map((needed) => needed[row]?.amount ?? "")]);
  const { efficiency, redisCores } = SCALE.figures;
  return [
    alignedTable(["Needed at rest", ...header], needs),
    `For ${header.at(-1)} of ${NODES_PER_CLUSTER} Nodes these follow from:`,
    alignedTable(
      ["Needed", "From"],
      last.map(({ what, from }) => [what, from]),
    ),
    `Four workers run ${efficiency} of four times what one runs. At 6,500 runs a second Redis uses ${redisCores} core.`,
    `Measured: ${sourceOf(SHARD)}; ${sourceOf(SCALE)}.`,
  ].join("\n\n");
}

function sourceOf({ bench, day, commit, machine }: Measured<unknown>): string {
  return `\`npm run bench -- ${bench}\` on ${day} at ${commit}, ${machine}`;
}
