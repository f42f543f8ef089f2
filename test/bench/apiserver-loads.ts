import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";

/** Where an API server is and what lets us in. */
export interface Address {
  readonly url: string;
  readonly token: string;
}

export interface FanOut {
  /** Milliseconds from sending a write to its event, over all watches. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const PATH = "/api/v1/namespaces/default/configmaps";
const LANES = 32;

/** Requests over kept connections, as many at once as there are lanes. */
export class Load implements Disposable {
  readonly #address: Address;
  readonly #agent: HttpAgent;
  readonly #send: typeof httpRequest;

  constructor(address: Address) {
    const isSecure = address.url.startsWith("https:");
    this.#address = address;
    this.#send = isSecure ? httpsRequest : httpRequest;
    const kept = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY };
    this.#agent = isSecure ? new HttpsAgent({ ...kept, rejectUnauthorized: false }) : new HttpAgent(kept);
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  /** Creates so many ConfigMaps of so many bytes; returns how many per second. */
  async fill(count: number, bytes: number): Promise<number> {
    const filler = "x".repeat(bytes);
    return this.#perSecond(count, (index) =>
      this.#write("POST", PATH, { metadata: { name: `object-${index}` }, data: { filler } }),
    );
  }

  /** Changes ConfigMaps that `fill` has made; returns how many per second. */
  async change(count: number, objects: number): Promise<number> {
    return this.#perSecond(count, (index) =>
      this.#write("PATCH", `${PATH}/object-${index % objects}`, { data: { turn: `${index}` } }),
    );
  }

  /** Lists everything; returns milliseconds. */
  async list(): Promise<number> {
    const startedAt = performance.now();
    const answer = await this.#call("GET", PATH);
    for await (const _ of answer);
    return performance.now() - startedAt;
  }

  /** `writes` changes at a steady rate, seen by so many watches of another namespace. */
  async fanOut(watches: number, writes: number, perSecond: number): Promise<FanOut> {
    const space = "/api/v1/namespaces/kube-public/configmaps";
    await this.#write("POST", space, { metadata: { name: "shared" }, data: { filler: "x".repeat(1_000) } });
    const delaysMs: number[] = [];
    const { promise: allSeen, resolve } = Promise.withResolvers<void>();
    const streams = await Promise.all(
      Array.from({ length: watches }, () => this.#call("GET", `${space}?watch=1`)),
    );
    for (const stream of streams) {
      onLine(stream, (line) => {
        const sentAt = /"sentAt":"([\d.]+)"/.exec(line)?.[1];
        if (sentAt === undefined) return;
        if (delaysMs.push(performance.now() - Number(sentAt)) === watches * writes) resolve();
      });
    }
    for (let index = 0; index < writes; index++) {
      const data = { sentAt: `${performance.now()}` };
      await Promise.all([this.#write("PATCH", `${space}/shared`, { data }), pause(1_000 / perSecond)]);
    }
    await allSeen;
    for (const stream of streams) stream.destroy();
    delaysMs.sort((a, b) => a - b);
    const at = (share: number) => delaysMs[Math.floor(share * (delaysMs.length - 1))] ?? Number.NaN;
    return { p50Ms: at(0.5), p99Ms: at(0.99) };
  }

  async #perSecond(count: number, work: (index: number) => Promise<void>): Promise<number> {
    let next = 0;
    const lane = async () => {
      while (next < count) await work(next++);
    };
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: LANES }, lane));
    return count / ((performance.now() - startedAt) / 1_000);
  }

  async #write(method: "POST" | "PATCH", path: string, body: object): Promise<void> {
    const answer = await this.#call(method, path, JSON.stringify(body));
    for await (const _ of answer);
    const { statusCode = 0 } = answer;
    if (statusCode >= 300) throw new Error(`${method} ${path} answered ${statusCode}`);
  }

  #call(method: string, path: string, body?: string): Promise<IncomingMessage> {
    const { url, token } = this.#address;
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { "content-type": type, "content-length": Buffer.byteLength(body) }),
    };
    return new Promise((resolve, reject) => {
      const request = this.#send(url + path, { method, headers, agent: this.#agent }, resolve);
      request.on("error", reject);
      request.end(body);
    });
  }
}

function onLine(stream: IncomingMessage, tell: (line: string) => void): void {
  let rest = "";
  // The load is over when the reader hangs up.
  stream.on("error", () => undefined);
  stream.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) tell(line);
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
