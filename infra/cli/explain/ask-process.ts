import { hostInUrl } from "../../../shared/api/host-in-url.ts";
import {
  type KeyRuns,
  MAX_RUNS,
  type ReadHistory,
  type RunHistory,
} from "../../../shared/runtime/letters/run-history.ts";
import type { Key } from "../../../shared/runtime/queue/key.ts";
import { createTurns } from "../../relay/turns.ts";
import type { LoopbackAddress } from "../../worker/loopback-address.ts";

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
