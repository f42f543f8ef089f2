import type { AnyFunction } from "../../shared/function/define-function.ts";
import { messageOf } from "../../shared/function/errors.ts";
import { readFreshness } from "../../shared/runtime/read/signs.ts";
import { systemClock } from "../platform/clock.ts";
import { printError } from "../platform/terminal/print.ts";
import type { Backend } from "../queue/backends/backend.ts";
import { openHistory } from "./explain/open-history.ts";
import { type LetterSource, QUIET } from "./letter-source.ts";

/** Says on standard error, whatever the output is, which watches no longer bring changes to a queue. */
export async function reportSilences(backend: Backend): Promise<void> {
  if (!backend.capabilities.isShared) return;
  await using store = await backend.store({ log: QUIET });
  const { silences } = await readFreshness(store, systemClock.now());
  for (const { message } of silences) printError(message);
}

/** Reports, each time that it is called, what the call before has not. Disposing closes what it reads. */
export interface Reports extends AsyncDisposable {
  report(): Promise<void>;
}

/**
 * Returns reports, on standard error, of the watches that no longer bring changes to a queue and of keys that wait although
 * no process serves their function. Where neither is known, such as to a user of Redis without the right, they say why.
 */
export function openReports(source: LetterSource, functions: readonly AnyFunction[]): Reports {
  const open = async () => {
    await using opening = new AsyncDisposableStack();
    const store = opening.use(await source.backend.store({ log: QUIET }));
    const { unserved } = opening.use(await openHistory(source, functions, {}));
    const messages = async (): Promise<readonly string[]> => {
      const { silences } = await readFreshness(store, source.clock.now());
      const [first] = (await unserved?.()) ?? [];
      return [...silences, ...(first?.late === undefined ? [] : [first.late])].map(({ message }) => message);
    };
    return { messages, resources: opening.move() };
  };
  const unknown = (error: unknown) => [`whether relay and workers run is not known: ${messageOf(error)}`];
  let opened: ReturnType<typeof open> | undefined;
  let said: readonly string[] = [];
  return {
    async report() {
      opened ??= open();
      opened.catch(() => {
        opened = undefined;
      });
      const messages = await opened.then((known) => known.messages()).catch(unknown);
      for (const message of messages) if (!said.includes(message)) printError(message);
      said = messages;
    },
    async [Symbol.asyncDispose]() {
      await opened?.then(({ resources }) => resources.disposeAsync()).catch(() => undefined);
    },
  };
}
