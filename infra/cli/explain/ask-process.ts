import type { KeyHistory, ReadHistory } from "../../../shared/runtime/last-run.ts";
import { createTurns } from "../../relay/turns.ts";
import type { LoopbackAddress } from "../../worker/loopback-address.ts";

/** Its listener takes 64 connections. */
const PARALLEL = 10;

/** Reads the history from a process that keeps the queue in memory; one request per key, at most 10 at once. */
export function askProcess({ host, port }: LoopbackAddress): ReadHistory {
  const origin = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const turns = createTurns(PARALLEL);
  const answers = new Map<string, Promise<{ readonly [functionName: string]: KeyHistory }>>();
  const ask = async (key: string): Promise<{ readonly [functionName: string]: KeyHistory }> => {
    const response = await fetch(`${origin}/keys?key=${encodeURIComponent(key)}`).catch((error: Error) => {
      throw new Error(
        `nothing answers at ${origin} (${String(error.cause ?? error.message)}); start capstan up with --metrics-address ${host}:${port}, or leave the option out`,
      );
    });
    if (!response.ok) throw new Error(`${origin}/keys: ${response.status} ${(await response.text()).trim()}`);
    return JSON.parse(await response.text(), (name, value: unknown) =>
      (name === "since" || name === "until") && typeof value === "string" ? new Date(value) : value,
    );
  };
  return async (functionName, key) => {
    const answer = answers.get(key) ?? turns.take(() => ask(key));
    answers.set(key, answer);
    return (await answer)[functionName] ?? {};
  };
}
