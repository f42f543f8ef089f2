import { setTimeout } from "node:timers/promises";
import type { Kind } from "../../shared/api/kinds.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { round } from "./capstan-process.ts";
import { type Contender, differences } from "./mhc-phases.ts";

const EVENTS = 30;
/** Longer than every settle time, and than the floor of mhc-status. */
const APART_MS = 1_500;

/** Runs of each function of health checks per event of one Machine, while its Cluster has several checks. */
export type RunsPerEvent = { readonly [name: string]: number | undefined };

/** Machines get a label of another controller, one after the other: health checks may select by it. */
export async function runsPerEvent({ fleet, managed }: Contender): Promise<RunsPerEvent> {
  const before = await managed.jobs();
  const names = fleet.machines.slice(0, EVENTS);
  for (const name of names) {
    await managed.world.client.jsonPatch(Machine as Kind, { namespace: "default", name }, [
      { op: "add", path: "/metadata/labels/bench.capstan.dev~1touched", value: "" },
    ]);
    await setTimeout(APART_MS);
  }
  const runs = Object.entries(differences(before, await managed.jobs()));
  return Object.fromEntries(
    runs
      .filter(([name]) => name.startsWith("mhc-"))
      .map(([name, count]) => [name, round(count / names.length, 2)]),
  );
}
