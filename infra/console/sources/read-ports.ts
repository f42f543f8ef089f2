import type { AnyFunction } from "../../../shared/function/define-function.ts";
import type { DeadLetters } from "../../../shared/runtime/letters/dead-letters-port.ts";
import type { ReadHistory, RunHistory } from "../../../shared/runtime/letters/run-history.ts";
import type { Clock, Log, Random, Store } from "../../../shared/runtime/ports.ts";
import type { QueueReader } from "../../../shared/runtime/queue/queue-reader.ts";
import type { Samples } from "../../../shared/runtime/queue/samples.ts";
import { managementType } from "../../../shared/runtime/read/management-type.ts";
import { siblingsOf } from "../../operate/explain/sibling-page.ts";
import type { ReadUnserved } from "../../operate/explain/unserved.ts";
import { openReplayApart } from "../../operate/replay/replay-apart.ts";
import type { Server } from "../../platform/kube/client.ts";
import type { FleetIndex } from "../fleet/fleet-index.ts";
import { search } from "../fleet/search.ts";
import { createTrials } from "../jobs/trials.ts";
import type { Ports } from "../ports.ts";
import { createExplain } from "./explain-source.ts";
import { createHeads } from "./letter-heads.ts";
import { createLive } from "./live-source.ts";
import { createReplay } from "./replay-source.ts";
import { createRunsSource } from "./runs-source.ts";

/** Parts of a process that a console looks at. */
export interface ReadSources {
  readonly store: Store;
  readonly functions: readonly AnyFunction[];
  /** Where the functions are loaded from for a replay; absent: Capstan's own. */
  readonly functionsDir: string | undefined;
  readonly queue: QueueReader;
  readonly letters: Pick<DeadLetters, "page" | "get" | "read">;
  readonly fleet: FleetIndex;
  readonly unserved: ReadUnserved;
  readonly history: ReadHistory;
  /** The history of runs; absent where it is off. */
  readonly runs: RunHistory | undefined;
  readonly samples: Pick<Samples, "read">;
  /** Opens a connection to the management API server, as the owner of a token or as this process. */
  readonly connect: (token: string | undefined) => Server;
  readonly random: Pick<Random, "id">;
  readonly clock: Clock;
  readonly log: Log;
}

/** Returns the data behind all routes that only look, but for the relay. */
export function readPorts(sources: ReadSources, starting: AsyncDisposableStack): Ports {
  const { store, functions, functionsDir, queue, letters, fleet, runs, samples, clock } = sources;
  const heads = createHeads({ letters, queue, clock });
  const openApart = () => openReplayApart(clock, functionsDir);
  return {
    queue,
    unserved: sources.unserved,
    letters,
    heads,
    fleet,
    explain: createExplain({ ...sources, heads }),
    children: async (kind, key, selection) => {
      const object = await store.get(managementType(kind), key);
      return object && siblingsOf({ store, functions }, { kind, object }, selection);
    },
    runs: runs && createRunsSource({ store, functions, runs }),
    live: createLive(sources),
    samples: (name, lastMs) => samples.read(name, lastMs),
    search: (asked) => search({ fleet, store, functions, letters, runs }, asked),
    replay: createReplay(openApart, clock),
    trials: starting.use(createTrials({ ...sources, openApart })),
  };
}
