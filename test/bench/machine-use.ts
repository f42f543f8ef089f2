import { cpus } from "node:os";
import { round } from "./capstan-process.ts";

const MS = 1_000;

/** How much of the machine was in use by all processes together. */
export interface MachineUse {
  readonly cores: number;
  readonly cpuSeconds: number;
  /** With every core in use all the time, the same work takes so long. */
  readonly leastSeconds: number;
  /** 1: the machine had nothing left. */
  readonly share: number;
}

/** Returns a function that measures the use of the machine since now. */
export function meterMachine(): () => MachineUse {
  const cores = cpus().length;
  const [startedAt, before] = [performance.now(), busyMs()];
  return () => {
    const cpuSeconds = (busyMs() - before) / MS;
    const seconds = (performance.now() - startedAt) / MS;
    return {
      cores,
      cpuSeconds: round(cpuSeconds, 1),
      leastSeconds: round(cpuSeconds / cores, 1),
      share: round(cpuSeconds / (cores * seconds), 2),
    };
  };
}

function busyMs(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
}
