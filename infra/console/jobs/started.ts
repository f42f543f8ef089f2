import type { Random } from "../../../shared/runtime/ports.ts";
import { problem } from "../problem.ts";

/** Work of a person that continues when its request has been answered. */
interface Work {
  status(): { readonly state: "running" | "stopped" | "done" | "failed" };
  stop(): void;
}

/** Such work of one sort, the newest first, until this process ends. Disposing stops all of it. */
export interface Started<W extends Work> extends Disposable {
  /** Throws the Problem of too much that runs. */
  start(begin: (id: string) => W): W;
  /** Throws the same Problem. */
  requireRoom(): void;
  get(id: string): W | undefined;
  list(): readonly W[];
}

interface StartedOptions {
  /** The name for messages: `bulk actions`. */
  readonly what: string;
  readonly maxRunning: number;
  readonly random: Pick<Random, "id">;
}

/** Work that has ended, to look at. */
const MAX_KEPT = 50;
const ID_BYTES = 8;

export function createStarted<W extends Work>({ what, maxRunning, random }: StartedOptions): Started<W> {
  const all = new Map<string, W>();
  const running = () => [...all.values()].filter((work) => work.status().state === "running");
  const forgetOldest = (): void => {
    const ended = [...all].filter(([, work]) => work.status().state !== "running");
    for (const [id] of ended.slice(0, Math.max(0, all.size - MAX_KEPT))) all.delete(id);
  };
  const requireRoom = (): void => {
    if (running().length < maxRunning) return;
    throw problem("tooManyJobs", `${maxRunning} ${what} are running`, "wait for one, or stop one");
  };
  return {
    start(begin) {
      requireRoom();
      const id = random.id(ID_BYTES);
      const work = begin(id);
      all.set(id, work);
      forgetOldest();
      return work;
    },
    requireRoom,
    get: (id) => all.get(id),
    list: () => [...all.values()].toReversed(),
    [Symbol.dispose]: () => {
      for (const work of running()) work.stop();
    },
  };
}
