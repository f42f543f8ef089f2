import type { RequestListener } from "node:http";
import { messageOf } from "../../shared/function/errors.ts";
import type { Log } from "../../shared/runtime/ports.ts";
import { HEADERS } from "./headers.ts";

/** Answers requests once it has been opened. */
export interface Answering extends AsyncDisposable {
  readonly listener: RequestListener;
}

/**
 * Opens what answers with the first request, so that a server without a visitor costs nothing (W-604). A request waits
 * until then; when it cannot be opened it gets 503, and the next one tries again.
 */
export function withFirstRequest(
  open: (opened: AsyncDisposableStack) => Promise<RequestListener>,
  log: Log,
): Answering {
  const all = new AsyncDisposableStack();
  let opening: Promise<RequestListener> | undefined;
  const openOnce = async (): Promise<RequestListener> => {
    await using opened = new AsyncDisposableStack();
    const listener = await open(opened);
    all.use(opened.move());
    return listener;
  };
  return {
    listener: (message, response) => {
      opening ??= openOnce();
      opening.then(
        (listener) => listener(message, response),
        (error: unknown) => {
          opening = undefined;
          log.error({ error: messageOf(error) }, "the console cannot be opened");
          response.writeHead(503, HEADERS).end();
        },
      );
    },
    async [Symbol.asyncDispose]() {
      await opening?.catch(() => undefined);
      await all.disposeAsync();
    },
  };
}
