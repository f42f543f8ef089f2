import { messageOf } from "../../shared/function/errors.ts";
import type { Log } from "../../shared/runtime/ports.ts";
import { HEADERS } from "./headers.ts";
import type { Listener } from "./message.ts";

/** Answers requests once it has been opened. */
export interface Answering extends AsyncDisposable {
  readonly listener: Listener;
}

/**
 * Opens what answers with the first request, so that a server without a visitor costs nothing. A request waits
 * until then; when it cannot be opened it gets 503, and the next one tries again.
 */
export function withFirstRequest(
  open: (opened: AsyncDisposableStack) => Promise<Listener>,
  log: Log,
): Answering {
  const all = new AsyncDisposableStack();
  let opening: Promise<Listener> | undefined;
  const openOnce = async (): Promise<Listener> => {
    await using opened = new AsyncDisposableStack();
    const listener = await open(opened);
    all.use(opened.move());
    return listener;
  };
  return {
    listener: (message, response) => {
      // A client may leave before there is an answer.
      message.on("error", () => undefined);
      response.on("error", () => undefined);
      opening ??= openOnce();
      opening.then(
        (listener) => listener(message, response),
        (error: unknown) => {
          opening = undefined;
          log.error({ error: messageOf(error) }, "the console cannot be opened");
          response.writeHead(503, HEADERS);
          response.end();
        },
      );
    },
    async [Symbol.asyncDispose]() {
      await opening?.catch(() => undefined);
      await all.disposeAsync();
    },
  };
}
