import { type ChildProcess, fork } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { SECOND } from "../../../shared/function/backoff.ts";
import type { DeadLetter } from "../../../shared/runtime/letters/dead-letter.ts";
import type { ReplayResult } from "../../../shared/runtime/letters/replay.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";
import type { ReplayAnswer, ReplayRequest } from "./replay-process.ts";

/** The end of a replay, whatever the step does. */
export type ApartResult = ReplayResult | { readonly type: "cut"; readonly why: string };

/** Replays letters in a process of their own, one after the other. Disposing cuts the one that is under way. */
export interface ReplayApart extends Disposable {
  /** Rejects when the function cannot be loaded. After a replay that was cut the next letter gets a new process. */
  replay(letter: DeadLetter): Promise<ApartResult>;
}

/** The time for one letter. */
const REPLAY_WITHIN_MS = 2 * SECOND;
const MEMORY_MIB = 256;
/** Functions are code of the installation: a slow disk is not the fault of a letter. */
const LOAD_WITHIN_MS = 60 * SECOND;

/** The path beside this file, as source or as it was built. */
const SOURCE = fileURLToPath(new URL("./replay-process.ts", import.meta.url));
const PROGRAM = existsSync(SOURCE) ? SOURCE : SOURCE.replace(/ts$/, "js");

/**
 * Opens a place for replays that cannot hold up or end this process: a step that does not end is cut after 2 s, one that
 * needs more than 256 MiB at once. `functionsDir` takes the place of Capstan's own functions. A process and not a thread:
 * V8 ends the whole process when an allocation of one of its threads fails.
 */
export function openReplayApart(clock: Clock, functionsDir?: string): ReplayApart {
  let apart: Apart | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  let closed = false;
  const end = (): void => {
    apart?.child.kill("SIGKILL");
    apart = undefined;
  };
  const ask = async (request: ReplayRequest, withinMs: number): Promise<ReplayAnswer | Cut> => {
    if (closed) return { done: "cut", message: "it was stopped" };
    apart ??= { child: startChild(functionsDir), loaded: new Set() };
    const answer = await answerOf(apart.child, request, { clock, withinMs });
    if (answer.done === "cut") end();
    return answer;
  };
  const requireLoaded = async (name: string): Promise<void> => {
    if (apart?.loaded.has(name) === true) return;
    const answer = await ask({ do: "load", function: name }, LOAD_WITHIN_MS);
    if ("message" in answer) throw new Error(answer.message);
    apart?.loaded.add(name);
  };
  const replay = async (letter: DeadLetter): Promise<ApartResult> => {
    await requireLoaded(letter.function);
    const answer = await ask({ do: "replay", letter }, REPLAY_WITHIN_MS);
    if (answer.done === "replayed") return answer.result;
    return { type: "cut", why: "message" in answer ? answer.message : "bug: not replayed" };
  };
  return {
    replay: (letter) => {
      const mine = turn.then(() => replay(letter));
      turn = mine.catch(() => undefined);
      return mine;
    },
    [Symbol.dispose]: () => {
      closed = true;
      end();
    },
  };
}

interface Apart {
  readonly child: ChildProcess;
  readonly loaded: Set<string>;
}

/** The process has not answered, and never will. */
interface Cut {
  readonly done: "cut";
  readonly message: string;
}

function startChild(functionsDir: string | undefined): ChildProcess {
  const child = fork(PROGRAM, functionsDir === undefined ? [] : [functionsDir], {
    // No setting and no secret of this process is a step's business.
    env: {},
    execArgv: [`--max-old-space-size=${MEMORY_MIB}`],
    // A step that prints would write into the terminal, or the log.
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  // Each request has its own listener; an error between two of them ends the process.
  return child.on("error", () => undefined);
}

function answerOf(
  child: ChildProcess,
  request: ReplayRequest,
  { clock, withinMs }: { readonly clock: Clock; readonly withinMs: number },
): Promise<ReplayAnswer | Cut> {
  const { promise, resolve } = Promise.withResolvers<ReplayAnswer | Cut>();
  const cut = (message: string): void => resolve({ done: "cut", message });
  const onMessage = (answer: unknown): void => resolve(answer as ReplayAnswer);
  const onExit = (code: number | null, signal: NodeJS.Signals | null): void => cut(whyEnded(code, signal));
  const onError = (error: Error): void => cut(error.message);
  child.once("message", onMessage).once("exit", onExit).once("error", onError);
  const cancel = clock.after(withinMs, () => cut(`it did not end within ${withinMs / SECOND} s`));
  child.send(request);
  return promise.finally(() => {
    cancel();
    child.off("message", onMessage).off("exit", onExit).off("error", onError);
  });
}

/** V8 aborts when its memory is used up. */
function whyEnded(code: number | null, signal: NodeJS.Signals | null): string {
  if (signal === "SIGABRT") return `it needed more than ${MEMORY_MIB} MiB`;
  return `it ended its process with ${code === null ? signal : `code ${code}`}`;
}
