import type { KubeClient } from "../../../shared/runtime/ports.ts";
import type { Process } from "../kernel/kernel.ts";
import { insist } from "../play/insist.ts";
import type { World } from "../play/world.ts";

/** A person beside the users of the workload, with access to the management server. */
export interface Somebody {
  readonly process: Process;
  readonly client: KubeClient;
  /**
   * Tries again every second until it is accepted, but no longer than half an hour: a full resync may have to
   * come first.
   */
  insist(edit: (client: KubeClient) => Promise<unknown>): Promise<void>;
  /** The same, and once more whenever a restore may have undone it. */
  takeBack(edit: (client: KubeClient) => Promise<unknown>): void;
}

const RETRY_MS = 1_000;
const MAX_TRIES = 1_800;
const KNOWN = new WeakMap<World, Somebody>();

/** `name` begins with `user`: their writes are not writes of Capstan. */
export function somebody(world: World): Somebody {
  const known = KNOWN.get(world) ?? create(world);
  KNOWN.set(world, known);
  return known;
}

function create(world: World): Somebody {
  const process = world.kernel.process("user-somebody");
  const client = world.connect(process).as("somebody");
  const pause = () => new Promise<void>((resolve) => process.clock.after(RETRY_MS, resolve));
  const untilAccepted: Somebody["insist"] = (edit) => insist(() => edit(client), pause, MAX_TRIES);
  const takenBack: Parameters<Somebody["takeBack"]>[0][] = [];
  world.management.onRestore(() => {
    for (const edit of takenBack) void untilAccepted(edit);
  });
  return {
    process,
    client,
    insist: untilAccepted,
    takeBack(edit) {
      takenBack.push(edit);
      void untilAccepted(edit);
    },
  };
}
