import { join } from "node:path";
import { actionPorts } from "../../infra/cli/console/action-ports.ts";
import type { ReadPage } from "../../infra/console/console-options.ts";
import { createTrials } from "../../infra/console/jobs/trials.ts";
import { createHeads } from "../../infra/console/sources/letter-heads.ts";
import { createReplay } from "../../infra/console/sources/read-ports.ts";
import type { ApartResult, ReplayApart } from "../../infra/operate/replay/replay-apart.ts";
import { systemRandom } from "../../infra/platform/random.ts";
import { createMemoryQueue } from "../../infra/queue/backends/embedded/queue.ts";
import { createJsonLinesDeadLetters } from "../../infra/queue/letters/json-lines.ts";
import type { Reviewer } from "../../infra/worker/diagnostics/reviews.ts";
import { defineFunction } from "../../shared/function/define-function.ts";
import { done } from "../../shared/function/result.ts";
import type { DeadLetter } from "../../shared/runtime/letters/dead-letter.ts";
import type { Outcome } from "../../shared/runtime/queue/queue-port.ts";
import { virtualClock } from "./clock.ts";
import { serveTestConsole } from "./console.ts";
import { eventually } from "./eventually.ts";
import { attempt, deadLetter } from "./letters.ts";
import { recordingLog } from "./recording-log.ts";
import { testFolder } from "./test-folder.ts";
import { Widget } from "./widget.ts";

export const GROW = "widget-grow";
const WITHIN = { withinMs: 10_000, stepMs: 5 };

export const WIDGET_GROW = defineFunction(
  { name: GROW, summary: "Grows.", source: "own", reconciles: Widget, watches: [], owns: [] },
  async () => ({ result: done }),
);

const LAST = attempt();

const DIES: Outcome = {
  type: "error",
  failure: { class: "Terminal", reason: "Broken", message: "it is broken" },
  terminal: true,
  requested: false,
};

/** Allows to list Clusters and to act in these namespaces; to pause nowhere, but where all are named. */
export function allowingIn(...namespaces: readonly string[]): Reviewer {
  return {
    review: async (_, spec) => {
      const { namespace = "" } = (spec as { resourceAttributes: { namespace?: string } }).resourceAttributes;
      return { status: { allowed: namespaces.includes("all") || namespaces.includes(namespace) } };
    },
  };
}

export function keyOf(namespace: string, name: string): string {
  return `${namespace}/c|Widget|${namespace}/${name}`;
}

interface QueueConsoleOptions {
  readonly actions?: boolean;
  readonly reviewer?: Reviewer;
  readonly dead: readonly string[];
  readonly ready?: readonly string[];
  readonly page?: ReadPage;
  /** The last error of a letter. */
  readonly messageOf?: (key: string) => string;
  /** In place of a child process. */
  readonly replay?: (letter: DeadLetter) => Promise<ApartResult>;
}

/** A console over a queue in memory with dead and ready keys of `widget-grow`, on test time. */
export async function serveQueueConsole(options: QueueConsoleOptions) {
  const { actions = true, reviewer = allowingIn("all"), dead, ready = [], page } = options;
  await using starting = new AsyncDisposableStack();
  const dir = testFolder("console");
  const clock = virtualClock();
  const { log, lines } = recordingLog();
  const letters = starting.use(createJsonLinesDeadLetters({ file: join(dir, "letters"), clock, log }));
  const queue = starting.use(
    await createMemoryQueue({
      clock,
      noteFailure: async ({ key, death }) => {
        const deadSince = (death?.since ?? clock.now()).toISOString();
        const attempts = [
          { ...LAST, error: { ...LAST.error, message: options.messageOf?.(key) ?? "it is broken" } },
        ];
        await letters.put(deadLetter({ function: GROW, key, deadSince, attempts }));
      },
    }),
  );
  await queue.enqueue(
    GROW,
    dead.map((key) => ({ key, priority: "live" as const })),
  );
  const settings = { concurrency: 20, attempts: 1, owner: "test" };
  const working = await queue.work(GROW, { ...settings } as never, async () => DIES);
  await eventually(async () => {
    await clock.advance(100);
    if ((await queue.peek(GROW)).dead < dead.length) throw new Error("not all are dead");
  }, WITHIN);
  await working[Symbol.asyncDispose]();
  if (ready.length > 0)
    await queue.enqueue(
      GROW,
      ready.map((key) => ({ key, priority: "live" as const })),
    );
  const replay = options.replay ?? (async () => ({ type: "cut", why: "no replay in this test" }));
  const openApart = (): ReplayApart => ({ replay, [Symbol.dispose]: () => undefined });
  const world = starting.use(
    await serveTestConsole({
      clock,
      log,
      reviewer,
      page,
      functions: [WIDGET_GROW],
      namespaces: async () => ["a", "b"],
      ports: {
        queue,
        unserved: async () => [],
        letters,
        heads: createHeads({ letters, queue, clock }),
        replay: createReplay(openApart, clock),
        trials: starting.use(createTrials({ letters, openApart, random: systemRandom, clock, log })),
        ...actionPorts({ queue, letters, clock, log }, { actions }),
      },
    }),
  );
  const running = starting.move();
  return {
    ...world,
    clock,
    queue,
    letters,
    lines,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
