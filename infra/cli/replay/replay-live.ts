import { MANAGEMENT } from "../../../shared/api/kinds.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import { messageOf } from "../../../shared/function/errors.ts";
import type { DeadLetter } from "../../../shared/runtime/letters/dead-letter.ts";
import { describeRequest, nothingIssued, type SentRequest } from "../../../shared/runtime/letters/replay.ts";
import type { Clients, Store } from "../../../shared/runtime/ports.ts";
import type { Outcome } from "../../../shared/runtime/queue/queue-port.ts";
import { requireKey, runStep } from "../../../shared/runtime/run-step.ts";
import { systemClock } from "../../platform/clock.ts";
import { createIssuer } from "../../platform/pki/issuer.ts";
import { x509 } from "../../platform/pki/x509.ts";
import { openManifests } from "../../platform/yaml/open-manifests.ts";
import { createLog } from "../../worker/telemetry/log.ts";
import { fillReadModel } from "../explain/read-model.ts";

/** Requests of the step if it ran now. */
export interface LiveResult {
  /** The server of the management cluster. */
  readonly server: string;
  /** The run would end well. */
  readonly ok: boolean;
  readonly result: string;
  readonly requests: readonly AnsweredRequest[];
}

interface AnsweredRequest extends SentRequest {
  readonly accepted: boolean;
  readonly answer: string;
}

/** Id of the dry run in the API server's audit log. */
const RUN_ID = "capstan-replay-live";

/**
 * Runs the step of a dead letter on the current objects of the management cluster, and sends its writes as a dry run:
 * the API server checks them and stores nothing. Throws with the next step when the cluster does not answer or the
 * object does not exist.
 */
export async function replayLive(
  fn: AnyFunction,
  letter: DeadLetter,
  kubeconfig: string | undefined,
): Promise<LiveResult> {
  const [clock, log] = [systemClock, createLog("silent")];
  const key = requireKey(fn, letter.key);
  await using model = await fillReadModel({
    functions: [fn],
    kubeconfig,
    otherwise: "replay without --live",
  });
  const { server, store } = model;
  await model.connected(key.tenant);
  await requireObject(fn, key, store);

  const { signal } = new AbortController();
  const lease = {
    key: letter.key,
    runId: RUN_ID,
    // The causes of the letter's run may be of another cluster, or of an earlier state of this one.
    causes: [{ what: "replay" }],
    failures: 0,
    retries: 0,
    fences: [],
    signal,
  };
  const { describe } = createIssuer(x509);
  const issuer = { describe, issue: nothingIssued };
  const readers = { issuer, manifests: await openManifests([fn]) };
  const outcome = await runStep(fn, lease, { store, clients: dryRun(model.clients), clock, log, ...readers });
  return {
    server: server.url.origin,
    ok: outcome.type === "ok",
    result: describeOutcome(outcome),
    requests: outcome.record.writes.map((write) => ({
      ...describeRequest(write),
      accepted: write.outcome.error === undefined,
      answer: write.verb === "evict" ? "not asked: a dry run evicts nothing" : answerOf(write.outcome),
    })),
  };
}

function dryRun(clients: Clients): Clients {
  return { of: (cluster, name, sending) => clients.of(cluster, name, { ...sending, dryRun: true }) };
}

async function requireObject(
  fn: AnyFunction,
  key: ReturnType<typeof requireKey>,
  store: Store,
): Promise<void> {
  const { group, kind } = fn.spec.reconciles;
  const found = await store.get({ cluster: MANAGEMENT, group, kind }, key);
  if (found !== undefined) return;
  throw new Error(
    `${kind} ${key.namespace}/${key.name} does not exist on this cluster; replay without --live, or drop the letter`,
  );
}

function answerOf({
  error,
  resourceVersion,
}: {
  readonly error?: unknown;
  readonly resourceVersion?: string | undefined;
}): string {
  if (error !== undefined) return messageOf(error);
  return resourceVersion === undefined
    ? "nothing to delete"
    : `accepted, on top of version ${resourceVersion}`;
}

function describeOutcome(outcome: Outcome): string {
  switch (outcome.type) {
    case "error":
      return `failed ${outcome.failure.reason}: ${outcome.failure.message}`;
    case "retry":
      return "run again: an object has changed meanwhile, or is not listed yet";
    default: {
      const after = outcome.afterMs === undefined ? "" : `, again after ${outcome.afterMs} ms`;
      return outcome.waitingFor === undefined ? `done${after}` : `wait for ${outcome.waitingFor}${after}`;
    }
  }
}
