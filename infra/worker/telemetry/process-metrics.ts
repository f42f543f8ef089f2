import { readdir, readFile } from "node:fs/promises";
import { packageVersion } from "../../platform/package-version.ts";
import type { Metrics } from "./metrics.ts";

/** Shows what this process is and uses, under the names of every Prometheus client; read at each scrape. */
export function meterProcess(metrics: Metrics): void {
  metrics.set("capstan_build_info", { version: packageVersion(), nodeversion: process.version }, 1);
  metrics.set("process_start_time_seconds", {}, Date.now() / 1_000 - process.uptime());
  let counted = 0;
  metrics.onScrape(async () => {
    const { user, system } = process.cpuUsage();
    const seconds = (user + system) / 1_000_000;
    metrics.add("process_cpu_seconds_total", {}, Math.max(0, seconds - counted));
    counted = seconds;
    metrics.set("process_resident_memory_bytes", {}, process.memoryUsage.rss());
    await showFiles(metrics);
  });
}

/** Linux only: elsewhere these are left out. */
async function showFiles(metrics: Metrics): Promise<void> {
  const [open, limits, status] = await Promise.all([
    readdir("/proc/self/fd").catch(() => undefined),
    readFile("/proc/self/limits", "utf8").catch(() => ""),
    readFile("/proc/self/status", "utf8").catch(() => ""),
  ]);
  const most = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  const virtualKib = /^VmSize:\s+(\d+) kB/m.exec(status)?.[1];
  if (open !== undefined) metrics.set("process_open_fds", {}, open.length);
  if (most !== undefined) metrics.set("process_max_fds", {}, Number(most));
  if (virtualKib !== undefined) metrics.set("process_virtual_memory_bytes", {}, Number(virtualKib) * 1_024);
}
