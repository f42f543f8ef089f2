import type { MachineStatus } from "../../../shared/api/machine/machine.ts";
import { present } from "../../../shared/rules/status/present.ts";

/** Condition types that `machine-status` always writes. */
const OWN_CONDITIONS: ReadonlySet<string> = new Set([
  "Available",
  "BootstrapConfigReady",
  "InfrastructureReady",
  "NodeHealthy",
  "NodeReady",
  "Paused",
  "Ready",
  "Updating",
]);

/** Conditions that `machine-status` writes in its turn only: `UpToDate` where no control plane judges, `Deleting` but for a drain. */
export type Turns = ReadonlySet<"UpToDate" | "Deleting">;

/**
 * The part of a stored status that `machine-status` writes: no conditions of others and no start times of the drain, but
 * the whole list of deprecated conditions, which has no merge key: others patch their entries in it.
 */
export function ownStatus(stored: MachineStatus | undefined, turns: Turns): MachineStatus {
  if (stored === undefined) return {};
  const { conditions, deletion, ...rest } = stored;
  const isOwn = (type: string) => OWN_CONDITIONS.has(type) || (turns as ReadonlySet<string>).has(type);
  return {
    ...rest,
    ...present(
      "conditions",
      conditions?.filter(({ type }) => isOwn(type)),
    ),
    ...present("deletion", hookStarts(deletion)),
  };
}

function hookStarts(deletion: MachineStatus["deletion"]): MachineStatus["deletion"] {
  const starts = {
    ...present("waitForPreDrainHookStartTime", deletion?.waitForPreDrainHookStartTime),
    ...present("waitForPreTerminateHookStartTime", deletion?.waitForPreTerminateHookStartTime),
  };
  return Object.keys(starts).length === 0 ? undefined : starts;
}
