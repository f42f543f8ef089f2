import type { Clock, Random } from "../../../../shared/runtime/ports.ts";
import { expired, internalError, StatusError } from "../errors/status-error.ts";
import { type KubeObject, keyOf, withMetadata } from "../objects/kube-object.ts";
import type { Lines, Target, VirtualServer } from "../request/request.ts";
import type { Effect, StreamEffect } from "./faults.ts";

const DEFAULT_LATE_MS = 1_000;

/** Lines that pass unharmed until the fault's turn comes. */
export function faultyLines(
  { as, afterEvents = 0, ms = DEFAULT_LATE_MS }: StreamEffect,
  lines: Lines,
  clock: Clock,
): Lines {
  let passed = 0;
  let isMute = false;
  const strike = (): void => {
    isMute = as === "stall";
    BETWEEN[as]?.(lines);
  };
  if (afterEvents === 0) strike();
  return {
    send(line) {
      if (isMute) return;
      const isStruck = passed++ === afterEvents;
      if (as === "late" && passed > afterEvents) clock.after(ms, () => lines.send(line));
      else if (!(as === "drop" && isStruck)) lines.send(line);
      if (as === "duplicate" && isStruck) lines.send(line);
      if (passed === afterEvents) strike();
    },
    // Who stalls does not even say that it is over.
    end: () => (isMute ? undefined : lines.end()),
    reset: () => lines.reset(),
  };
}

/** Fault between two events. */
const BETWEEN: { readonly [as: string]: ((lines: Lines) => void) | undefined } = {
  end: (lines) => lines.end(),
  reset: (lines) => lines.reset(),
  expire: (lines) => fail(lines, expired("injected: too old resource version")),
  error: (lines) => fail(lines, internalError("injected: Internal error occurred")),
  garbage: (lines) => lines.send("<html>502 Bad Gateway</html>\n"),
  unknownType: (lines) => lines.send('{"type":"SURPRISE","object":{"kind":"Surprise"}}\n'),
  halfLine: (lines) => {
    lines.send('{"type":"MODIFIED","object":{"apiVersion":"v1","ki');
    lines.end();
  },
};

function fail(lines: Lines, error: StatusError): void {
  lines.send(`{"type":"ERROR","object":${JSON.stringify(error.toStatus())}}\n`);
  lines.end();
}

/** Injected effects that are left once the request may be executed. */
export interface Injected {
  /** The server with the objects that the request must see. */
  readonly server: VirtualServer;
  /** Fault of the answer. */
  readonly answer: "sent" | "reset" | "silence" | "garbage";
  readonly stream: StreamEffect | undefined;
}

/** The request ends here: without an answer, the connection broken or left open. */
export class NoAnswer extends Error {
  readonly resets: boolean;

  constructor(resets: boolean) {
    super(resets ? "injected: connection reset" : "injected: no answer");
    this.name = "NoAnswer";
    this.resets = resets;
  }
}

/** Lets the effects happen that come before a request. Throws StatusError or NoAnswer for those that replace it. */
export async function inject(
  effects: readonly Effect[],
  server: VirtualServer,
  target: Target | undefined,
): Promise<Injected> {
  let injected: Injected = { server, answer: "sent", stream: undefined };
  for (const effect of effects) {
    switch (effect.kind) {
      case "slow":
        await slowly(effect.ms, server);
        break;
      case "status":
        throw toError(effect);
      case "reset":
      case "silence":
        if (effect.when === "before") throw new NoAnswer(effect.kind === "reset");
        injected = { ...injected, answer: effect.kind };
        break;
      case "garbage":
        injected = { ...injected, answer: "garbage" };
        break;
      case "stale":
        injected = { ...injected, server: staleView(server, effect.versions) };
        break;
      case "race":
        if (target) race(server, target, effect.by);
        break;
      case "stream":
        injected = { ...injected, stream: effect };
        break;
      case "notServed":
        break;
      default:
        effect satisfies never;
    }
  }
  return injected;
}

function slowly(ms: number, { clock, stopped }: VirtualServer): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, resolve);
    stopped.addEventListener("abort", () => {
      cancel();
      resolve();
    });
  });
}

const REASONS: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  410: "Expired",
  413: "RequestEntityTooLarge",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};

function toError({
  code,
  reason = REASONS[code] ?? "",
  message = `injected: ${reason === "" ? code : reason}`,
  retryAfterSeconds,
  causes,
}: Extract<Effect, { kind: "status" }>): StatusError {
  return new StatusError(code, reason, message, {
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(causes === undefined
      ? {}
      : {
          causes: causes.map(({ field, ...cause }) => ({
            ...cause,
            ...(field === undefined ? {} : { field }),
          })),
        }),
  });
}

/** Returns the server as it was, as far back as history reaches. */
function staleView(server: VirtualServer, versions: number): VirtualServer {
  const { storage } = server;
  for (let back = versions; back > 0; back--) {
    const past = storage.asOf(Math.max(1, storage.version - back));
    if (past) return { ...server, storage: past };
  }
  return server;
}

const RACE_ANNOTATION = "capstan.dev/race";

function race(server: VirtualServer, target: Target, by: "touch" | "delete" | "recreate"): void {
  const { type, namespace, name } = target;
  const key = name === undefined ? "" : keyOf(namespace === undefined ? { name } : { namespace, name });
  const live = server.storage.collection(type.id).find(key);
  if (!live) return;
  if (by === "touch") {
    const annotations = { ...live.metadata.annotations, [RACE_ANNOTATION]: server.random.uuid() };
    server.storage.put(type.id, withMetadata(live, { annotations }));
    return;
  }
  server.storage.remove(type.id, live);
  if (by === "recreate") server.storage.put(type.id, anew(live, server.random));
}

function anew(object: KubeObject, random: Random): KubeObject {
  return withMetadata(object, {
    uid: random.uuid(),
    generation: object.metadata.generation === undefined ? undefined : 1,
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
  });
}
