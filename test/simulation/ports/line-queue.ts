import type { StreamedAnswer } from "../../../infra/platform/kube/transport.ts";
import type { Stream } from "../../../infra/playground/apiserver/entry.ts";
import type { Kernel, Operation, Process } from "../kernel/kernel.ts";

/** The next line of a watch. */
export interface LineOperation extends Operation {
  readonly kind: "line";
  readonly server: string;
  readonly line: string;
  /** When the server sent it. */
  readonly sentAt: number;
  /** Delivers the line, and once more. */
  duplicate(): void;
  /** It comes later, and with it everything behind it. */
  delay(ms: number): void;
  /** The connection breaks before the line; it never arrives. */
  breakOff(): void;
  /** Something else arrives in its place. */
  replace(text: string): void;
  /** Neither this line nor any later one arrives, without a signal. */
  hang(): void;
}

interface Watched {
  readonly process: Process;
  readonly server: string;
  readonly name: string;
}

/** The lines of one watch, in order: only the first of them is on its way, the others wait behind it. */
export class LineQueue implements Stream {
  readonly #kernel: Kernel;
  readonly #watched: Watched;
  readonly #waiting: (() => void)[] = [];
  readonly #onClose: (() => void)[] = [];
  readonly answer: IncomingLines;
  /** Until the head of the answer has arrived, and while a line is on its way. */
  #isBusy: boolean = true;
  #isClosed: boolean = false;

  constructor(kernel: Kernel, watched: Watched) {
    this.#kernel = kernel;
    this.#watched = watched;
    this.answer = new IncomingLines(() => this.#close());
    this.onClose(watched.process.onKill(() => this.#close()));
  }

  begin(): void {
    this.#next();
  }

  send(line: string): void {
    const sentAt = this.#kernel.now;
    this.#enqueue(() => this.#postLine(line, sentAt));
  }

  end(): void {
    this.#enqueue(() => this.#post("end", () => this.answer.end()));
  }

  reset(): void {
    this.#enqueue(() => this.#post("reset", () => this.answer.destroy()));
  }

  onClose(callback: () => void): void {
    if (this.#isClosed) callback();
    else this.#onClose.push(callback);
  }

  #enqueue(post: () => void): void {
    if (this.#isClosed) return;
    if (this.#isBusy) this.#waiting.push(post);
    else {
      this.#isBusy = true;
      post();
    }
  }

  #next(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isBusy = false;
    else next();
  }

  #post(what: string, arrive: () => void): void {
    const { process, name } = this.#watched;
    this.#kernel.post({
      process,
      kind: "line",
      what: () => `${name} ${what}`,
      run: () => {
        arrive();
        this.#next();
      },
    });
  }

  #postLine(line: string, sentAt: number): void {
    const { process, server, name } = this.#watched;
    const arrive = (): void => this.answer.push(line);
    const operation: LineOperation = {
      process,
      kind: "line",
      what: () => `${name} ${summaryOf(line)}`,
      site: () => `${name.replace(/\?.*/, "")} ${summaryOf(line).replace(/@.*/, "")}`,
      server,
      line,
      sentAt,
      run: () => {
        arrive();
        this.#next();
      },
      delay: (ms) => void this.#kernel.post(operation, ms),
      duplicate: () => {
        arrive();
        arrive();
        this.#next();
      },
      breakOff: () => this.answer.destroy(),
      replace: (text) => {
        this.answer.push(text);
        this.#next();
      },
      // Later lines wait for a line that is on its way for ever.
      hang: () => undefined,
    };
    this.#kernel.post(operation);
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#waiting.length = 0;
    for (const callback of this.#onClose) callback();
  }
}

function summaryOf(line: string): string {
  const type = /"type":"(\w+)"/.exec(line)?.[1] ?? "?";
  const version = /"resourceVersion":"(\d+)"/.exec(line)?.[1] ?? "?";
  const name = /"metadata":\{[^}]*?"name":"([^"]+)"/.exec(line)?.[1] ?? "";
  return `${type} ${name}@${version}`;
}

/** Bytes of a watch that a client has received and not read yet. */
class IncomingLines implements StreamedAnswer {
  readonly statusCode = 200;
  readonly headers = {};
  readonly #chunks: Buffer[] = [];
  readonly #onLeft: () => void;
  #wake: (() => void) | undefined;
  #state: "open" | "ended" | "broken" = "open";

  constructor(onLeft: () => void) {
    this.#onLeft = onLeft;
  }

  push(line: string): void {
    if (this.#state === "open") this.#chunks.push(Buffer.from(line));
    this.#wake?.();
  }

  end(): void {
    if (this.#state === "open") this.#state = "ended";
    this.#left();
  }

  destroy(): void {
    if (this.#state === "open") this.#state = "broken";
    this.#left();
  }

  #left(): void {
    this.#onLeft();
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        const chunk = this.#chunks.shift();
        if (chunk !== undefined) yield chunk;
        else if (this.#state === "ended") return;
        else if (this.#state === "broken") throw new Error("aborted");
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      this.destroy();
    }
  }
}
