import { CustomResourceDefinition } from "../../shared/api/core.ts";
import type { Kind } from "../../shared/api/kinds.ts";
import { SECOND } from "../../shared/function/backoff.ts";
import type { AnyFunction } from "../../shared/function/define-function.ts";
import { messageOf } from "../../shared/function/errors.ts";
import { maskText } from "../../shared/redaction/redact.ts";
import type { Clock, Store, TypeProgress } from "../../shared/runtime/ports.ts";
import type { Queue, QueueDepth } from "../../shared/runtime/queue/queue-port.ts";
import { managementType } from "../../shared/runtime/read/management-type.ts";
import { CURRENT, readFreshness } from "../../shared/runtime/read/signs.ts";
import type { Relay } from "../relay/relay.ts";
import type { MeteredQueue } from "./telemetry/metered-queue.ts";
import { answerWithin, type QueueView } from "./telemetry/scale-view.ts";
import type { Worker, WorkerStatus } from "./worker.ts";

/** The parts of a process that health depends on. A part that is still starting is `starting`. */
export interface HealthSources {
  readonly functions: readonly AnyFunction[];
  readonly queue: Pick<Queue, "healthy">;
  readonly view: QueueView;
  readonly refusals: MeteredQueue["refusals"];
  readonly store: Store;
  readonly clock: Clock;
  readonly version: string;
  /** Returns the relay; `undefined` where this process has none. */
  relay(): Pick<Relay, "status"> | "starting" | undefined;
  worker(): Pick<Worker, "status"> | "starting" | undefined;
}

/** The answer of `/status`. Names of clusters appear here and never in metrics. */
export interface ProcessStatus {
  readonly version: string;
  readonly ready: boolean;
  /** Why it is not ready. */
  readonly reasons: readonly string[];
  readonly functions: readonly string[];
  readonly worker: WorkerStatus | "starting" | undefined;
  readonly relay: ReturnType<Relay["status"]> | "starting" | undefined;
  readonly queue: { readonly [functionName: string]: QueueDepth | { readonly error: string } };
}

const STORE_WITHIN_MS = 2 * SECOND;

/**
 * Returns why the process cannot do its work now; empty = ready. Each reason is one line that names the part and what
 * it waits for.
 */
export async function unreadyReasons(sources: HealthSources): Promise<readonly string[]> {
  const [silence, queue, store] = await Promise.all([
    silenceReasons(sources),
    queueReasons(sources),
    storeReasons(sources),
  ]);
  return [...partReasons(sources.relay(), sources.worker()), ...silence, ...queue, ...store].map(oneLine);
}

/** Returns why relay and worker of a process cannot do their work now, without a request. */
export function partReasons(
  relay: ReturnType<HealthSources["relay"]>,
  worker: ReturnType<HealthSources["worker"]>,
): readonly string[] {
  return [...relayReasons(relay), ...workerReasons(worker)];
}

export async function statusOf(sources: HealthSources): Promise<ProcessStatus> {
  const [reasons, depths] = await Promise.all([unreadyReasons(sources), sources.view.depths()]);
  const relay = sources.relay();
  const worker = sources.worker();
  return {
    version: sources.version,
    ready: reasons.length === 0,
    reasons,
    functions: sources.functions.map(({ spec }) => spec.name),
    worker: typeof worker === "object" ? worker.status() : worker,
    relay: typeof relay === "object" ? relay.status() : relay,
    queue: Object.fromEntries(
      depths.map(({ functionName, depth, error = "" }) => [functionName, depth ?? { error: oneLine(error) }]),
    ),
  };
}

function relayReasons(relay: ReturnType<HealthSources["relay"]>): readonly string[] {
  if (relay === undefined) return [];
  if (relay === "starting") return ["relay: it is starting"];
  const { ready, loops, share } = relay.status();
  if (ready) return [];
  const unlisted = loops.filter(({ lists }) => lists === 0);
  if (unlisted.length === 0 && share !== undefined)
    return ["relay: the Leases of the shards are not read yet"];
  if (unlisted.length === 0) return ["relay: the first keys are not enqueued yet"];
  return unlisted.map(({ name, state }) => `relay: no first list yet of ${name} (${state})`);
}

/** A relay that hears nothing sees no change, whatever its first lists were. */
async function silenceReasons({ relay, store, clock }: HealthSources): Promise<readonly string[]> {
  if (typeof relay() !== "object") return [];
  // Where the read model cannot be read it says so itself.
  const { silences } = await readFreshness(store, clock.now()).catch(() => CURRENT);
  const [{ types, since } = {}] = silences;
  if (types !== undefined || since === undefined) return [];
  return [
    `relay: nothing of the management cluster is heard since ${since}; look whether its API server answers`,
  ];
}

function workerReasons(worker: ReturnType<HealthSources["worker"]>): readonly string[] {
  if (worker === undefined) return [];
  if (worker === "starting") return ["worker: it is starting"];
  const { draining, running } = worker.status();
  return draining ? [`worker: it stops; ${running} runs are finishing`] : [];
}

/** One reason, not one per function: when one queue does not answer, none does. */
async function queueReasons({ queue, view, refusals }: HealthSources): Promise<readonly string[]> {
  const { ok, message = "no answer" } = queue.healthy();
  if (!ok) return [`queue: ${message}`];
  const failed = (await view.depths()).find(({ depth }) => depth === undefined);
  if (failed !== undefined) return [`queue: ${failed.error ?? "no answer"}`];
  const [refused] = refusals;
  return refused === undefined ? [] : [`queue: it does not take keys of ${refused[0]}: ${refused[1]}`];
}

/** A read model that is empty or half full makes functions wait (KR-22). */
async function storeReasons({ functions, store, clock }: HealthSources): Promise<readonly string[]> {
  const kinds = [...new Set(functions.map(({ spec }) => spec.reconciles))];
  const look = async (): Promise<readonly string[]> => {
    const crds = managementType(CustomResourceDefinition);
    const definitions = await store.progress(crds);
    if (!definitions.ready) return [unlisted(CustomResourceDefinition, definitions)];
    const reasons = await Promise.all(
      kinds.map(async (kind) => {
        // Without its CRD there is nothing to list, and nothing to do.
        const crd = await store.get(crds, { namespace: "", name: `${kind.plural}.${kind.group}` });
        if (crd === undefined) return [];
        const progress = await store.progress(managementType(kind));
        return progress.ready ? [] : [unlisted(kind, progress)];
      }),
    );
    return reasons.flat();
  };
  return answerWithin(STORE_WITHIN_MS, clock, look).catch((error: unknown) => [
    `read model: ${messageOf(error)}`,
  ]);
}

function unlisted({ kind }: Pick<Kind, "kind">, { refusal }: TypeProgress): string {
  return `read model: no complete list of ${kind}; ${refusal ?? "a relay fills it"}`;
}

const MAX_REASON_CHARS = 300;
/** Messages of others must not break the line or fill the screen. */
export function oneLine(text: string): string {
  return maskText(text)
    .replace(/[\p{Cc}\s]+/gu, " ")
    .slice(0, MAX_REASON_CHARS);
}
