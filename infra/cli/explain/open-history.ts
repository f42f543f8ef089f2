import { devNull } from "node:os";
import { hostInUrl } from "../../../shared/api/host-in-url.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import { messageOf } from "../../../shared/function/errors.ts";
import {
  type KeyRuns,
  MAX_RUNS,
  type ReadHistory,
  type RunHistory,
} from "../../../shared/runtime/letters/run-history.ts";
import type { Key } from "../../../shared/runtime/queue/key.ts";
import type { Problem } from "../../operate/explain/problem.ts";
import { silenceProblems } from "../../operate/explain/problems-of-platform.ts";
import { createUnserved, type ReadUnserved } from "../../operate/explain/unserved.ts";
import { capabilitiesOf } from "../../queue/backends/open.ts";
import { historyFrom } from "../../queue/history/key-history.ts";
import { createTurns } from "../../relay/turns.ts";
import type { LoopbackAddress } from "../../worker/loopback-address.ts";
import { type LetterSource, openSource, QUIET, type SourceOptions } from "../letter-source.ts";
import { queueOf } from "../queue-options.ts";
import { openLog } from "../terminal/log.ts";

/** Knowledge of the queue and of its processes about keys. */
interface Asked extends AsyncDisposable {
  /** Returns the history for one look: it asks for each key once. */
  readonly history: () => ReadHistory | undefined;
  readonly unserved?: ReadUnserved;
}

export async function openHistory(
  { queue, backend, clock }: LetterSource,
  functions: readonly AnyFunction[],
  { metricsAddress }: { readonly metricsAddress?: LoopbackAddress },
): Promise<Asked> {
  if (queue === undefined) {
    const history = () => (metricsAddress === undefined ? undefined : askProcess(metricsAddress));
    return { history, [Symbol.asyncDispose]: async () => undefined };
  }
  await using opening = new AsyncDisposableStack();
  const log = openLog("error");
  const runs = await backend.history({ clock, log });
  if (runs !== undefined) opening.use(runs);
  const heartbeats = opening.use(await backend.heartbeats({ log }));
  const history = historyFrom(queue, runs);
  const opened = opening.move();
  return {
    history: () => history,
    unserved: createUnserved({ queue, functions, processes: () => heartbeats.processes(), clock }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/**
 * Opens the queue, or, while its Redis is away, nothing of it: what the API server has can be said all the same. Returns
 * what is said first then.
 */
export async function openReachable(
  options: SourceOptions,
): Promise<{ source: LetterSource; away: readonly Problem[] }> {
  const named = queueOf(options, QUIET);
  try {
    return { source: await openSource(options, named), away: [] };
  } catch (error) {
    if (!capabilitiesOf(named).isShared) throw error;
    const message = `queue unreachable: ${messageOf(error)}: no function runs, and what they did and wait for in the queue is not known; start it`;
    const source = await openSource({ deadLetters: devNull }, { url: "memory" });
    const [problem] = silenceProblems({ silences: [{ message }] });
    return { source, away: problem === undefined ? [] : [{ ...problem, object: "queue" }] };
  }
}

/** Its listener takes 64 connections. */
const PARALLEL = 10;

type Answer = { readonly [functionName: string]: KeyRuns };

/** Reads the history from a process that keeps the queue in memory; one request per key, at most 10 at once. */
export function askProcess(address: LoopbackAddress): ReadHistory {
  const ask = oncePerKey((key) => askKey(address, { key }));
  return async (functionName, key) => (await ask(key))[functionName] ?? {};
}

/** Reads the runs that such a process has noted, in the same way. */
export function askRuns(address: LoopbackAddress): RunHistory["runs"] {
  const ask = oncePerKey((key) => askKey(address, { key, runs: String(MAX_RUNS) }));
  return async (functionName, key, limit) => ((await ask(key))[functionName]?.runs ?? []).slice(0, limit);
}

function oncePerKey(ask: (key: Key) => Promise<Answer>): (key: Key) => Promise<Answer> {
  const turns = createTurns(PARALLEL);
  const answers = new Map<Key, Promise<Answer>>();
  return (key) => {
    const answer = answers.get(key) ?? turns.take(() => ask(key));
    answers.set(key, answer);
    return answer;
  };
}

async function askKey(
  { host, port }: LoopbackAddress,
  query: { readonly key: Key; readonly runs?: string },
): Promise<Answer> {
  const origin = `http://${hostInUrl(host)}:${port}`;
  const response = await fetch(`${origin}/keys?${new URLSearchParams(query)}`).catch((error: Error) => {
    throw new Error(
      `nothing answers at ${origin} (${String(error.cause ?? error.message)}); start capstan up with --metrics-address ${hostInUrl(host)}:${port}, or leave the option out`,
    );
  });
  if (!response.ok) throw new Error(`${origin}/keys: ${response.status} ${(await response.text()).trim()}`);
  return JSON.parse(await response.text(), (name, value: unknown) =>
    name === "state" && typeof value === "object" && value !== null ? withDates(value) : value,
  );
}

function withDates(state: object): object {
  const dates = Object.entries(state).map(([name, value]) =>
    (name === "since" || name === "until") && typeof value === "string"
      ? [name, new Date(value)]
      : [name, value],
  );
  return Object.fromEntries(dates);
}
