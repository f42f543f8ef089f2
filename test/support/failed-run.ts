import { createIssuer } from "../../infra/platform/pki/issuer.ts";
import { createMemoryStore } from "../../infra/queue/backends/embedded/store.ts";
import { groupOf, type KubeObject, MANAGEMENT } from "../../shared/api/kinds.ts";
import type { AnyFunction } from "../../shared/function/define-function.ts";
import { composeLetter, summarizeAttempt } from "../../shared/runtime/letters/compose-letter.ts";
import type { DeadLetter } from "../../shared/runtime/letters/dead-letter.ts";
import type { FailedRun } from "../../shared/runtime/letters/dead-letters-port.ts";
import type { Clients, KubeClient } from "../../shared/runtime/ports.ts";
import type { Outcome } from "../../shared/runtime/queue/queue-port.ts";
import { runStep } from "../../shared/runtime/run-step.ts";
import { virtualClock } from "./clock.ts";
import { createFakePki } from "./fake-pki.ts";
import { POOL_KEY } from "./letters.ts";
import { recordingClients, type SentWrite } from "./recording-clients.ts";
import { silentLog } from "./silent-log.ts";
import { NOW } from "./world.ts";

export interface RunWorld {
  readonly snapshots: readonly KubeObject[];
  /** Objects that live reads find. */
  readonly served?: readonly KubeObject[];
  /** How live reads of one object are answered, by its name, in place of `served`. */
  readonly live?: ((name: string) => Promise<KubeObject | undefined>) | undefined;
  readonly refuse?: (write: SentWrite) => Error | undefined;
  readonly key?: string;
}

async function runOnce(fn: AnyFunction, world: RunWorld): Promise<Outcome> {
  const store = createMemoryStore();
  for (const object of world.snapshots) {
    const type = { cluster: MANAGEMENT, group: groupOf(object.apiVersion), kind: object.kind };
    await store.put(type, [object]);
    await store.advance(type, { ready: true });
  }
  for (const on of [fn.spec.reconciles, ...fn.spec.watches.map((watch) => watch.on)]) {
    if (!("contract" in on)) {
      await store.advance({ cluster: MANAGEMENT, group: on.group, kind: on.kind }, { ready: true });
    }
  }
  const lease = {
    key: world.key ?? POOL_KEY,
    runId: "r1",
    causes: [{ what: "MachinePool default/p1", resourceVersion: "20" }],
    failures: 2,
    retries: 1,
    fences: [],
    signal: new AbortController().signal,
  };
  return runStep(fn, lease, {
    store,
    clients: clientsOf(world),
    clock: virtualClock(NOW),
    log: silentLog,
    issuer: createIssuer(createFakePki()),
  });
}

function clientsOf({ refuse, served, live }: RunWorld): Clients {
  const clients = recordingClients(refuse, served);
  if (live === undefined) return clients;
  const get = ((_kind, { name }) => live(name)) as KubeClient["get"];
  return { of: (...asked) => ({ ...clients.of(...asked), get }) };
}

const HIDDEN = "hmac-sha256:0123456789abcdef";

/** The letter of a key whose run failed in this world. Fails when it did not. */
export async function letterOfFailure(fn: AnyFunction, world: RunWorld): Promise<DeadLetter> {
  const outcome = await runOnce(fn, world);
  if (outcome.type !== "error") throw new Error(`the run ended in ${outcome.type}`);
  const run: FailedRun = {
    function: fn.spec.name,
    key: world.key ?? POOL_KEY,
    owner: "worker-1/0",
    failure: outcome.failure,
    failures: 3,
    retries: 1,
    causes: [{ what: "MachinePool default/p1", resourceVersion: "20" }],
    record: outcome.record,
  };
  const death = { reason: "MaxAttempts", priority: "live", since: NOW } as const;
  const attempts = [summarizeAttempt(run, NOW, () => HIDDEN)];
  return composeLetter(
    { ...run, death },
    {
      build: { version: "0.1.0", configDigest: "sha256:0" },
      history: { firstFailureAt: "2026-01-01T11:59:00.000Z", attempts },
      hide: () => HIDDEN,
    },
  );
}
