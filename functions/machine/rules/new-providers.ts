import type { Machine } from "../../../shared/api/machine/machine.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import type { MachineProviders } from "../../../shared/rules/providers/machine-providers.ts";
import { machineSpecAwaits } from "./spec.ts";

/** Creation times are whole seconds: the first status waits for one to two seconds. */
const NEW_MS = 2 * SECOND;

/**
 * Returns how long the first status of a Machine still waits for provider objects that have just been made: one that is
 * ready at once is not reported twice. `undefined`: the status is written now.
 */
export function newProvidersWaitMs(
  machine: Machine,
  providers: MachineProviders,
  now: Date,
): number | undefined {
  if (machine.status?.phase !== undefined || machineSpecAwaits(machine, providers) === undefined)
    return undefined;
  const remainingMs = [providers.bootstrap, providers.infrastructure].map((found) =>
    found?.state === "found"
      ? Date.parse(found.object.metadata.creationTimestamp ?? "") + NEW_MS - now.getTime()
      : 0,
  );
  const longestMs = Math.max(...remainingMs.map((ms) => (Number.isNaN(ms) ? 0 : ms)));
  return longestMs > 0 ? Math.min(NEW_MS, longestMs) : undefined;
}
