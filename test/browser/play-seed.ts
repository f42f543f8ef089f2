import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApi } from "../../infra/console/answers.ts";
import { startFleetIndex } from "../../infra/console/fleet/fleet-index.ts";
import { ROUTES } from "../../infra/console/routes/table.ts";
import { readPorts } from "../../infra/console/sources/read-ports.ts";
import { createRelaySource } from "../../infra/console/sources/relay-source.ts";
import type { Viewer } from "../../infra/console/viewer.ts";
import { createUnserved } from "../../infra/operate/explain/unserved.ts";
import { createMemoryRunHistory } from "../../infra/queue/backends/embedded/history.ts";
import { createMemorySamples } from "../../infra/queue/backends/embedded/samples.ts";
import type { LivingProcess } from "../../infra/queue/heartbeats/heartbeats.ts";
import { historyFrom } from "../../infra/queue/history/key-history.ts";
import { createJsonLinesDeadLetters } from "../../infra/queue/letters/json-lines.ts";
import { createRecorder } from "../../infra/queue/letters/recorder.ts";
import { startSampling } from "../../infra/queue/samples/sample-queue.ts";
import { partReasons } from "../../infra/worker/health.ts";
import type { DeadLetter } from "../../shared/runtime/letters/dead-letter.ts";
import type { LetterKey } from "../../shared/runtime/letters/dead-letters-port.ts";
import { runEntryOf } from "../../shared/runtime/letters/run-entry.ts";
import type { Clock } from "../../shared/runtime/ports.ts";
import { prepare } from "../simulation/play/prepared.ts";
import { createWorld, type World } from "../simulation/play/world.ts";
import { silentLog as log } from "../support/silent-log.ts";
import { beginOrdinaryDay } from "./ordinary-day.ts";
import { NOW } from "./scene.ts";

/** A played world, at NOW. */
export interface Played {
  /** Returns what the API of a console answers to a GET of a topic. */
  ask<Body extends object>(topic: string): Promise<Body>;
  /** All answers so far, as they were sent, by topic. */
  readonly texts: ReadonlyMap<string, string>;
}

/** As the answers name it, whatever is built. */
const VERSION = "0.1.0";
/** A person who may look at everything. */
const VIEWER: Viewer = {
  name: "ann",
  by: "code",
  token: undefined,
  until: undefined,
  sight: "all",
  may: async () => false,
};
const HISTORY_BYTES = 2 ** 25;

/**
 * Plays an ordinary day in the simulation with this seed until NOW, by its clock, and opens the API of a console there: that of
 * the product, over the read model, the queue, the history, the samples and the letters of the played world. The same seed
 * gives the same answers, byte by byte.
 */
export async function playSeed(seed: number): Promise<Played> {
  // In one order and without jitter: a change of the product then changes no more of the scenes than it must.
  const world = await createWorld({ ...(await prepare()), seed, isSteady: true, isInOrder: true });
  const { kernel, functions } = world;
  const console = kernel.process("console");
  const { clock, random } = console;
  const queue = world.ledger.of(console);
  const runs = createMemoryRunHistory({ clock, maxBytes: HISTORY_BYTES });
  world.runs.onEnd(({ functionName, key, lease, outcome }) =>
    runs.note(functionName, key, runEntryOf(lease, outcome, clock.now())),
  );
  const samples = createMemorySamples(clock);
  startSampling({ queue, functions: functions.map(({ spec }) => spec.name), samples, clock, log });
  for (const role of world.roles) world.start(role);
  beginOrdinaryDay(world);
  await kernel.run(Date.parse(NOW) - kernel.now);

  const store = world.store.of(console);
  const processes = async () => processesOf(world);
  const unserved = createUnserved({ queue, functions, processes, clock });
  const fleet = startFleetIndex({ store, queue, functions, clock, unserved });
  await atOnce(world, fleet.ready());
  const letters = await lettersOf(world, clock);
  const sources = {
    store,
    functions,
    functionsDir: undefined,
    queue,
    letters,
    fleet,
    unserved,
    runs,
    samples,
    clock,
    log,
  };
  const history = historyFrom(queue, runs);
  const connect = () => world.connect(console);
  const ports = {
    ...readPorts({ ...sources, history, connect, random }, new AsyncDisposableStack()),
    relay: createRelaySource({ processes, store, clock }),
  };
  const api = createApi(ROUTES, ports, { functions, clock, log, version: VERSION });
  const texts = new Map<string, string>();
  let turn: Promise<unknown> = Promise.resolve();
  const ask = async (topic: string): Promise<string> => {
    const { text } = await atOnce(world, api.answer("GET", `/${topic}`, { viewer: VIEWER }));
    texts.set(topic, text);
    return text;
  };
  return {
    texts,
    ask: async <Body>(topic: string) => {
      const answer = turn.then(() => ask(topic));
      turn = answer.catch(() => undefined);
      return JSON.parse(await answer) as Body;
    },
  };
}

/** Lets everything happen that takes no time until a promise is settled. */
async function atOnce<T>({ kernel }: World, work: Promise<T>): Promise<T> {
  let isOver = false;
  const over = (): void => {
    isOver = true;
  };
  work.then(over, over);
  while (!isOver) {
    await kernel.run(0, () => isOver);
    await new Promise(setImmediate);
  }
  return work;
}

/** The letters of all deaths, as the recorder writes them. */
async function lettersOf({ failures, functions }: World, clock: Clock) {
  const folder = await mkdtemp(join(tmpdir(), "capstan-played-"));
  const file = join(folder, "letters.jsonl");
  await writeFile(`${file}.key`, "0".repeat(64), { mode: 0o600 });
  const letters = createJsonLinesDeadLetters({ file, clock, log });
  await using recorder = createRecorder({ deadLetters: letters, functions, clock, log });
  for (const run of failures) await recorder.noteFailure(run);
  await letters.list();
  // They are in memory.
  await rm(folder, { recursive: true });
  return {
    ...letters,
    get: async (at: LetterKey) => {
      const letter = await letters.get(at);
      return letter && withoutCheckout(letter);
    },
  };
}

/** Without its commit, and lines of its files in stacks. */
function withoutCheckout({ attempts, ...letter }: DeadLetter): DeadLetter {
  const withoutStack = ({ error: { stack: _, ...error }, ...attempt }: (typeof attempts)[number]) => {
    return { ...attempt, error };
  };
  return {
    ...letter,
    attempts: attempts.map(withoutStack),
    build: { version: VERSION, configDigest: "" },
  };
}

/** Processes with their states, as each of them reports to the others. */
function processesOf({ roles, processOf, relayOf, functions, runs }: World): readonly LivingProcess[] {
  return roles.flatMap((role) => {
    const process = processOf(role);
    if (process === undefined || role === "cloud") return [];
    const relay = relayOf(process);
    const reasons = partReasons(relay, undefined);
    const common = { id: process.name, version: VERSION, ready: reasons.length === 0, reasons };
    const seenAt = process.clock.now();
    if (relay !== undefined) {
      return { ...common, roles: ["relay"], functions: [], watches: relay.status().loops, seenAt };
    }
    const running = runs.active.filter((run) => run.process === process).length;
    return {
      ...common,
      roles: ["worker"],
      functions: functions.map(({ spec }) => spec.name),
      running,
      seenAt,
    };
  });
}
