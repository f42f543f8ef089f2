import type { AnyFunction } from "../../../shared/function/define-function.ts";
import { messageOf } from "../../../shared/function/errors.ts";
import type { DeadLetter } from "../../../shared/runtime/letters/dead-letter.ts";
import { type ReplayResult, replay } from "../../../shared/runtime/letters/replay.ts";
import { systemClock } from "../../platform/clock.ts";
import { loadFunctions } from "../../worker/load.ts";

/** `load` comes before the first letter of a function: it takes longer than a replay may. */
export type ReplayRequest =
  | { readonly do: "load"; readonly function: string }
  | { readonly do: "replay"; readonly letter: DeadLetter };

/** One for each request, in order. */
export type ReplayAnswer =
  | { readonly done: "loaded" }
  | { readonly done: "replayed"; readonly result: ReplayResult }
  | { readonly done: "failed"; readonly message: string };

/** Folder in the place of Capstan's own functions. */
const [functionsDir] = process.argv.slice(2);
const loaded = new Map<string, AnyFunction>();

async function answerTo(request: ReplayRequest): Promise<ReplayAnswer> {
  if (request.do === "load") {
    const [fn] = await loadFunctions([request.function], functionsDir);
    if (fn !== undefined) loaded.set(request.function, fn);
    return { done: "loaded" };
  }
  const { letter } = request;
  const fn = loaded.get(letter.function);
  if (fn === undefined) throw new Error(`bug: ${letter.function} was not loaded`);
  return { done: "replayed", result: await replay(fn, letter, systemClock) };
}

process.on("message", (request: ReplayRequest) => {
  void answerTo(request)
    .catch((error: unknown) => ({
      done: "failed" as const,
      message: messageOf(error),
    }))
    .then((answer: ReplayAnswer) => process.send?.(answer));
});
