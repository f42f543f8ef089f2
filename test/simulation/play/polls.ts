import type { Process } from "../kernel/kernel.ts";

/**
 * Requests that are repeated for as long as a process lives: how many there are says how long the run was. A leader
 * renews its lease, while who stands by looks at it; the cloud looks whether a Cluster has another authority.
 */
export function isPoll({ name }: Pick<Process, "name">, path: string): boolean {
  return path.includes("/leases") || (name.startsWith("cloud") && path.includes("/secrets/"));
}

/** A watch lasts so long, or longer (infra/relay/watch/open-watch.ts). */
const SHORTEST_WATCH_MS = 300_000;

/**
 * Returns a question: whether a request opens a watch of a process again that has come to its end in time. It has to be
 * asked about every request.
 */
export function reopenings(): (process: Pick<Process, "name">, path: string, nowMs: number) => boolean {
  const openedAt = new Map<string, number>();
  return ({ name }, path, nowMs) => {
    const [resource, query = ""] = path.split("?");
    if (!new URLSearchParams(query).has("watch")) return false;
    const watch = `${name} ${resource}`;
    const before = openedAt.get(watch);
    openedAt.set(watch, nowMs);
    return before !== undefined && nowMs - before >= SHORTEST_WATCH_MS;
  };
}
