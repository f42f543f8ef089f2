import type { Connect, HttpAnswer, StreamedAnswer } from "../../infra/platform/kube/transport.ts";

/**
 * A workload server with Nodes, without sockets: whatever it does is done within a few turns of the event loop, so that
 * a test with a virtual clock sees all of it.
 */
export interface InMemoryServer {
  readonly connect: Connect;
  add(name: string): void;
  /** From now on every request is answered, which is how it begins. */
  answer(): void;
  /** From now on every request fails; open watches continue. */
  refuse(): void;
  breakWatches(): void;
}

interface Watch {
  readonly send: (line: string) => void;
  readonly breakOff: () => void;
}

export function inMemoryServer(): InMemoryServer {
  const nodes = new Map<string, object>();
  const watches = new Set<Watch>();
  let isRefusing = false;
  let version = 10;

  const check = (): void => {
    if (isRefusing) throw new Error("connection refused");
  };
  const list = () => {
    const items = [...nodes.values()];
    return { kind: "NodeList", apiVersion: "v1", metadata: { resourceVersion: String(version) }, items };
  };
  const open = (signal: AbortSignal): StreamedAnswer => {
    const lines: Buffer[] = [];
    let isBroken = false;
    let wake = (): void => undefined;
    const change = (act: () => void) => (): void => {
      act();
      wake();
    };
    const watch: Watch = {
      send: (line) => change(() => void lines.push(Buffer.from(line)))(),
      breakOff: change(() => {
        isBroken = true;
      }),
    };
    watches.add(watch);
    signal.addEventListener("abort", watch.breakOff);
    return {
      statusCode: 200,
      headers: {},
      destroy: watch.breakOff,
      async *[Symbol.asyncIterator]() {
        for (;;) {
          const line = lines.shift();
          if (line !== undefined) yield line;
          else if (isBroken) break;
          else
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
        }
        watches.delete(watch);
        throw new Error("the line broke");
      },
    };
  };
  const whole = (body: object, status = 200): HttpAnswer => {
    return { status, retryAfter: undefined, text: JSON.stringify(body) };
  };
  const isList = (path: string): boolean => /\/nodes(\?|$)/.test(path);
  const isOne = (path: string): boolean => /\/nodes\/[^?]+/.test(path);

  return {
    connect: () => ({
      async send({ path }) {
        check();
        if (isList(path)) return whole(list());
        if (!isOne(path)) return whole({ kind: "Status", status: "Success" });
        const found = nodes.get(path.replace(/^.*\/nodes\//, ""));
        return found === undefined ? whole(failure(404, "NotFound"), 404) : whole(found);
      },
      async open({ path }, signal) {
        check();
        // As a server does that knows no watch-list.
        if (path.includes("sendInitialEvents")) {
          const refusal = Buffer.from(JSON.stringify(failure(422, "Invalid", "sendInitialEvents")));
          return {
            statusCode: 422,
            headers: {},
            destroy: () => undefined,
            async *[Symbol.asyncIterator]() {
              yield refusal;
            },
          };
        }
        return open(signal);
      },
      [Symbol.dispose]: () => undefined,
    }),
    add(name) {
      version += 1;
      const metadata = { name, uid: `uid-${name}`, resourceVersion: String(version) };
      const type = nodes.has(name) ? "MODIFIED" : "ADDED";
      const node = { apiVersion: "v1", kind: "Node", metadata, spec: { providerID: `x://${name}` } };
      nodes.set(name, node);
      for (const { send } of watches) send(`${JSON.stringify({ type, object: node })}\n`);
    },
    answer() {
      isRefusing = false;
    },
    refuse() {
      isRefusing = true;
    },
    breakWatches() {
      for (const { breakOff } of watches) breakOff();
    },
  };
}

function failure(code: number, reason: string, field?: string): object {
  const causes = [{ reason: "FieldValueForbidden", field, message: "the feature is off" }];
  const details = field === undefined ? {} : { details: { causes } };
  return { kind: "Status", status: "Failure", code, reason, message: `${reason} happened`, ...details };
}
