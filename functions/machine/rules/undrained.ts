import { SECOND } from "../../../shared/function/backoff.ts";
import type { MachineView } from "./view.ts";

/** The drain has seen a Node without Pods within a second, unless hundreds are drained at once. */
const WAIT_MS = 5 * SECOND;

/**
 * Returns how long the status of a Machine that has just been deleted still waits for the first words of the drain. Without Pods
 * the Machine is mostly gone soon after them, and a status before them would change the version that the drain's apply
 * tests, which then lists all Pods again. `undefined`: the status is written now.
 * Differs: upstream says at once that the deletion has started.
 */
export function undrainedWaitMs({
  machine,
  stage,
  drainSpeaks,
  now,
}: Pick<MachineView, "machine" | "stage" | "drainSpeaks" | "now">): number | undefined {
  if (stage?.step !== "drain" || drainSpeaks) return undefined;
  const leftMs = Date.parse(machine.metadata.deletionTimestamp ?? "") + WAIT_MS - now.getTime();
  return leftMs > 0 ? Math.min(WAIT_MS, leftMs) : undefined;
}
