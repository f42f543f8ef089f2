import type { AnyFunction } from "../../../shared/function/define-function.ts";
import type { ReadHistory } from "../../../shared/runtime/letters/run-history.ts";
import { createUnserved, type ReadUnserved } from "../../operate/explain/unserved.ts";
import { historyFrom } from "../../queue/history/key-history.ts";
import type { LoopbackAddress } from "../../worker/loopback-address.ts";
import type { LetterSource } from "../letter-source.ts";
import { openLog } from "../terminal/log.ts";
import { askProcess } from "./ask-process.ts";

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
