import { Redis } from "ioredis";

/** The use of a Redis since its start. */
export interface RedisCost {
  readonly cpuSeconds: number;
  /** Ways of a client to the server: what a script calls there is none, commands that are sent together are one. */
  readonly calls: number;
  readonly usedBytes: number;
}

export async function redisCost(url: string): Promise<RedisCost> {
  const redis = new Redis(url);
  const info = await redis.info();
  redis.disconnect();
  const number = (name: string) =>
    Number(new RegExp(`^${name}:([\\d.]+)`, "m").exec(info)?.[1] ?? Number.NaN);
  return {
    cpuSeconds: number("used_cpu_sys") + number("used_cpu_user"),
    calls: number("total_reads_processed"),
    usedBytes: number("used_memory"),
  };
}
