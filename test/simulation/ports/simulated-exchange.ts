import type { HttpRequest, StreamedAnswer } from "../../../infra/platform/kube/transport.ts";
import type { Answered, Exchange, Stream } from "../../../infra/playground/apiserver/entry.ts";
import type { Kernel, Process } from "../kernel/kernel.ts";
import { LineQueue } from "./line-queue.ts";

/** Parts of an exchange that are visible outside of the client. */
export interface Witness {
  readonly server: string;
  readonly process: Process;
  readonly request: HttpRequest;
  readonly code: number;
  readonly text: string;
  /** The client no longer waits for the answer. */
  readonly isLate: boolean;
}

export interface WholeAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

export type Begun = WholeAnswer | StreamedAnswer;

interface Carried {
  readonly process: Process;
  readonly server: string;
  readonly request: HttpRequest;
}

/** One request and its way back, every part of which is an operation of the process that asked. */
export class SimulatedExchange implements Exchange {
  readonly #kernel: Kernel;
  carried: Carried;
  witnesses: readonly ((seen: Witness) => void)[] = [];
  resolve: (begun: Begun) => void = () => undefined;
  reject: (error: unknown) => void = () => undefined;
  settled: () => void = () => undefined;
  /** Called when the server has no more to say. */
  over: () => void = () => undefined;
  /** Instead of the answer. */
  instead: (() => void) | undefined;
  answeredWith: number | undefined;
  certificate: Exchange["certificate"];
  #stream: LineQueue | undefined;
  #isReported: boolean = false;
  /** The client has had enough. */
  isLeft: boolean = false;

  constructor(kernel: Kernel, carried: Carried) {
    this.#kernel = kernel;
    this.carried = carried;
  }

  readdress(path: string, headers: HttpRequest["headers"]): void {
    this.carried = { ...this.carried, request: { ...this.carried.request, path, headers } };
  }

  get method(): string {
    return this.carried.request.method;
  }

  get url(): string {
    return this.carried.request.path;
  }

  get headers(): Exchange["headers"] {
    return this.carried.request.headers;
  }

  get name(): string {
    const { server, request } = this.carried;
    return `${server} ${request.method} ${pathOf(request)}`;
  }

  async readBody(): Promise<Buffer> {
    return Buffer.from(this.carried.request.body ?? "");
  }

  async send({ code, text, headers = {} }: Answered): Promise<void> {
    if (this.answeredWith !== undefined) return;
    this.answeredWith = code;
    const seen = { ...this.carried, code, text, isLate: this.isLeft || !this.carried.process.isAlive };
    if (!this.#isReported) for (const witness of this.witnesses) witness(seen);
    this.#isReported = true;
    this.#back(`${code}`, () => this.resolve({ status: code, retryAfter: headers["Retry-After"], text }));
  }

  stream(): Stream {
    this.answeredWith = 200;
    const { process, server } = this.carried;
    const stream = new LineQueue(this.#kernel, { process, server, name: this.name });
    this.#stream = stream;
    stream.onClose(() => this.over());
    this.#back("200 watch", () => {
      this.resolve(stream.answer);
      stream.begin();
    });
    return stream;
  }

  reset(): void {
    if (this.#stream !== undefined) this.#stream.reset();
    else this.#back("reset", () => this.reject(new Error("socket hang up")));
  }

  refuse(why: string): void {
    this.#back(why, () => this.reject(new Error(why)));
  }

  /** The client has had enough. */
  leave(reason: unknown): void {
    this.isLeft = true;
    this.settled();
    this.#stream?.answer.destroy();
    this.reject(reason);
  }

  #back(what: string, then: () => void): void {
    if (this.#stream === undefined) this.over();
    if (this.instead !== undefined) {
      this.instead();
      return;
    }
    const { process } = this.carried;
    this.#kernel.post({
      process,
      kind: "answer",
      what: () => `${this.name} ${what}`,
      run: () => {
        if (this.isLeft) return;
        if (this.#stream === undefined) this.settled();
        then();
      },
    });
  }
}

function pathOf({ path, body }: HttpRequest): string {
  const short = path.replace(/^\/as\/[^/]+/, "");
  return body === undefined ? short : `${short} ${body}`;
}
