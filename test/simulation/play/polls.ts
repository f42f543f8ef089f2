import type { Process } from "../kernel/kernel.ts";

/**
 * Requests that are repeated for as long as a process lives: how many there are says how long the run was. A leader
 * renews its lease, while who stands by looks at it; the cloud looks whether a Cluster has another authority.
 */
export function isPoll({ name }: Pick<Process, "name">, path: string): boolean {
  return path.includes("/leases") || (name.startsWith("cloud") && path.includes("/secrets/"));
}
