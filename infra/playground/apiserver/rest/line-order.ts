import { StatusError } from "../errors/status-error.ts";
import type { Lines } from "../request/exchange.ts";
import type { Soon } from "../soon.ts";

/** The most lines: as many may wait for a webhook as may wait for a reader. */
const WAITING_MAX_LINES = 1_000;

/**
 * Sends the lines of a watch in the order they were given, though a webhook may have to be asked for some of them
 * first. A line that cannot be made ends the watch with an ERROR event; only its reader is disturbed. Differs: the real
 * server is silent until the webhook is back, and so are lists of what it had converted before.
 */
export class LineOrder {
  readonly #lines: Lines;
  #waiting = 0;
  /** Settled when the last line that waits has been sent. */
  #last: Promise<void> = Promise.resolve();
  #hasEnded: boolean = false;

  constructor(lines: Lines) {
    this.#lines = lines;
  }

  send(line: Soon<string>): void {
    if (this.#hasEnded) return;
    if (this.#waiting === 0 && typeof line === "string") this.#lines.send(line);
    else if (this.#waiting === WAITING_MAX_LINES) this.reset();
    else this.#sendInTurn(Promise.resolve(line));
  }

  #sendInTurn(line: Promise<string>): void {
    // Its turn may come long after it failed.
    line.catch(() => undefined);
    this.#waiting++;
    this.#last = this.#last
      .then(() => line)
      .then((made) => {
        this.#waiting--;
        if (!this.#hasEnded) this.#lines.send(made);
      })
      .catch((error: unknown) =>
        this.fail(error instanceof StatusError ? error : new StatusError(500, "", String(error))),
      );
  }

  /** Ends with an ERROR event at once. */
  fail(error: StatusError): void {
    if (this.#hasEnded) return;
    this.#lines.send(`{"type":"ERROR","object":${JSON.stringify(error.toStatus())}}\n`);
    this.end();
  }

  /** Ends at once, whatever still waits. */
  end(): void {
    this.#hasEnded = true;
    this.#lines.end();
  }

  reset(): void {
    this.#hasEnded = true;
    this.#lines.reset();
  }
}
