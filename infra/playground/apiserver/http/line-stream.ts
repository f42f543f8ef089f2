import type { ServerResponse } from "node:http";
import type { Stream } from "../request/request.ts";

const BACKLOG_MAX_LINES = 1_000;
const BACKLOG_MAX_BYTES = 16 * 1024 * 1024;

/**
 * The lines of one watch. Those of one turn of the event loop leave in one write. A reader that does not keep up is
 * disconnected: it has to list again, which costs less than the memory of its backlog.
 */
export class LineStream implements Stream {
  readonly #response: ServerResponse;
  readonly #breakOff: () => void;
  #pending: string[] = [];
  /** Lines written since the reader was last known to have taken everything. */
  #backlog = 0;
  /** Size of the first write, which carries all present objects, however many; not counted as being behind. */
  #initialBytes: number | undefined;

  constructor(response: ServerResponse, breakOff: () => void) {
    this.#response = response;
    this.#breakOff = breakOff;
    response.on("drain", () => {
      this.#backlog = 0;
    });
  }

  send(line: string): void {
    if (this.#pending.push(line) === 1) setImmediate(() => this.#flush());
  }

  end(): void {
    this.#flush();
    this.#response.end();
  }

  reset(): void {
    this.#breakOff();
  }

  onClose(callback: () => void): void {
    this.#response.once("close", callback);
  }

  #flush(): void {
    const lines = this.#pending;
    const response = this.#response;
    if (lines.length === 0 || response.writableEnded || response.destroyed) return;
    // The present lines may be a burst that a healthy reader takes at once, so they do not count against it yet.
    const bytes = response.writableLength - (this.#initialBytes ?? 0);
    if (this.#backlog > BACKLOG_MAX_LINES || bytes > BACKLOG_MAX_BYTES) {
      response.destroy();
      return;
    }
    this.#pending = [];
    const isTaken = response.write(lines.length === 1 ? lines[0] : lines.join(""));
    if (this.#initialBytes === undefined) this.#initialBytes = response.writableLength;
    else this.#backlog = isTaken ? 0 : this.#backlog + lines.length;
  }
}
