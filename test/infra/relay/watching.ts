import { systemClock } from "../../../infra/platform/clock.ts";
import { createServer } from "../../../infra/platform/kube/client.ts";
import type { ServerAccess } from "../../../infra/platform/kube/server-access.ts";
import { createTurns } from "../../../infra/relay/turns.ts";
import type { Budget } from "../../../infra/relay/watch/budget.ts";
import type { Comeback } from "../../../infra/relay/watch/comeback.ts";
import type { WatchConsumer } from "../../../infra/relay/watch/watch-consumer.ts";
import { startWatchLoop, type WatchLoop } from "../../../infra/relay/watch/watch-loop.ts";
import type { Kind, KubeObject, ObjectKey } from "../../../shared/api/kinds.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";
import { type ScriptedServer, startScriptedServer } from "../../support/processes/scripted-server.ts";
import { recordingLog } from "../../support/recording-log.ts";

export const Thing: Kind = { group: "", version: "v1", kind: "Thing", plural: "things", namespaced: true };

/** Limits of the life of a watch, and of its silence before the end of its initial events: not delays. */
export const isLimit = (delayMs: number) => delayMs >= 300_000 || delayMs === 15_000;

/** Real time in which delays are over at once and limits are never reached; the delays asked for are kept. */
function impatientClock(): Clock & { readonly delays: number[] } {
  const delays: number[] = [];
  return {
    delays,
    now: () => new Date(),
    after(delayMs, callback) {
      if (isLimit(delayMs)) return () => undefined;
      delays.push(delayMs);
      const timer = setImmediate(callback);
      return () => clearImmediate(timer);
    },
  };
}

export function thing(name: string, resourceVersion: string, uid = `uid-${name}`) {
  return { apiVersion: "v1", kind: "Thing", metadata: { namespace: "default", name, uid, resourceVersion } };
}

type Request = ScriptedServer["requests"][number];

export function listsTo(server: ScriptedServer) {
  return server.requests.filter(isList);
}

export function isList({ query }: Request): boolean {
  return query.get("watch") === null;
}

/** A watch that does not begin with everything. */
export function isWatch({ query }: Request): boolean {
  return query.get("watch") === "true" && !query.has("sendInitialEvents");
}

export interface Watching extends AsyncDisposable {
  readonly server: ScriptedServer;
  readonly reported: string[];
  /** Whether each list was the first of the loop or after a loss. */
  readonly firsts: readonly boolean[];
  warnings(): readonly string[];
  readonly loop: WatchLoop;
  readonly delays: readonly number[];
  listsSeen(): number;
  /** Versions that watches started from. */
  watchedFrom(): readonly (string | null)[];
}

export async function watching(
  script: (server: ScriptedServer) => void,
  options: {
    readonly idleMs?: number;
    readonly clock?: Clock;
    readonly serverClock?: Clock;
    readonly untrusted?: boolean;
    readonly stored?: (key: ObjectKey) => Promise<KubeObject | undefined>;
    readonly access?: (url: URL) => ServerAccess;
    readonly budget?: Budget;
    readonly mayBeStarting?: boolean;
    readonly isEnding?: () => boolean;
    readonly comeback?: Comeback;
    /** Replaces the consumer that notes its calls. */
    readonly consumer?: Partial<WatchConsumer>;
  } = {},
): Promise<Watching> {
  const stack = new AsyncDisposableStack();
  const server = stack.use(await startScriptedServer());
  script(server);
  const connection = stack.use(
    createServer(options.access?.(server.url) ?? { server: server.url }, {
      clock: options.serverClock ?? systemClock,
      idleMs: options.idleMs,
      untrusted: options.untrusted,
    }),
  );
  const reported: string[] = [];
  const firsts: boolean[] = [];
  const log = recordingLog();
  const impatient = impatientClock();
  const loop = stack.use(
    startWatchLoop({
      name: "things",
      client: connection.as("relay"),
      kind: Thing,
      clock: options.clock ?? impatient,
      log: log.log,
      lists: createTurns(4),
      random: () => 0.5,
      budget: options.budget,
      mayBeStarting: options.mayBeStarting,
      isEnding: options.isEnding,
      comeback: options.comeback,
      consumer: {
        reduce: (object) => object,
        ...(options.stored === undefined ? {} : { stored: options.stored }),
        listed: async (items, { resourceVersion, first }) => {
          const names = items.map(({ metadata }) => metadata.name).join(",");
          reported.push(`list ${names} at ${resourceVersion}`);
          firsts.push(first);
        },
        changed: async (objects) => {
          reported.push(...objects.map(({ metadata }) => `changed ${metadata.name}`));
        },
        deleted: async ({ metadata }) => {
          reported.push(`deleted ${metadata.name}`);
        },
        reached: async (resourceVersion) => {
          reported.push(`reached ${resourceVersion}`);
        },
        gone: async () => {
          reported.push("gone");
        },
        ...options.consumer,
      },
    }),
  );
  return {
    server,
    reported,
    firsts,
    warnings: () => log.lines.filter(({ level }) => level === "warn").map(({ message }) => message),
    loop,
    delays: impatient.delays,
    listsSeen: () => listsTo(server).length,
    watchedFrom: () => server.requests.filter(isWatch).map(({ query }) => query.get("resourceVersion")),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
