import type { Scale, Shard } from "./model.ts";

/** Figures of a bench, with the run that they come from. */
export interface Measured<Figures> extends Run {
  readonly figures: Figures;
}

interface Run {
  readonly bench: string;
  readonly day: string;
  readonly commit: string;
  readonly machine: string;
}

/** Renewed by hand from `test/bench/results/shard.json` when that bench has run again. */
export const SHARD: Measured<Shard> = {
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
export const SCALE: Measured<Scale> = {
  bench: "scale",
  day: "2026-11-28",
  commit: "7871b672",
  machine: "2 cores of AMD EPYC",
  figures: { cpuMsPerRun: 0.284, efficiency: 0.88, redisCores: 0.48 },
};
