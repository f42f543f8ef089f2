import { Connection } from "../../../shared/api/core.ts";
import {
  type KubeObject,
  MANAGEMENT,
  titleOf as nameOf,
  type ObjectKey,
  titleOf,
} from "../../../shared/api/kinds.ts";
import { valueAt } from "../../../shared/api/path.ts";
import { type AnyFunction, isContractKind } from "../../../shared/function/define-function.ts";
import { KubeError } from "../../../shared/function/errors.ts";
import type { RecordedRead } from "../../../shared/runtime/attempt-record.ts";
import { acceptedWrites, nothingIssued } from "../../../shared/runtime/letters/replay.ts";
import { titleOfWrite } from "../../../shared/runtime/letters/run-entry.ts";
import type { Clients, Clock, Store } from "../../../shared/runtime/ports.ts";
import type { Failure, Lease } from "../../../shared/runtime/queue/queue-port.ts";
import { NotListedError } from "../../../shared/runtime/read/listed.ts";
import { managementType } from "../../../shared/runtime/read/management-type.ts";
import { CURRENT, type Freshness, type Silence } from "../../../shared/runtime/read/signs.ts";
import { type EndedRun, runStep } from "../../../shared/runtime/run-step.ts";
import { createIssuer } from "../../platform/pki/issuer.ts";
import { x509 } from "../../platform/pki/x509.ts";
import { openManifests } from "../../platform/yaml/open-manifests.ts";
import { createLog } from "../../worker/telemetry/log.ts";

/** The read model, and clients for reads that it never answers. */
export interface ReadSources {
  readonly store: Store;
  readonly clients: Clients;
}

/** Requests and waits of a function for an object, if it ran now. No request is sent. */
export interface StepNow {
  /** `apply MachinePool/status default/p1`, one per request; empty: the function would not change anything. */
  readonly wouldSend: readonly string[];
  readonly waitsFor?: Dependency;
  /** Time until it would run again by itself, and why. */
  readonly againAfterMs?: number;
  readonly why?: string;
  /** The read model is not complete yet, see `why`: the result is unknown. */
  readonly notListed?: boolean;
  readonly failure?: Failure;
  /** It depends on snapshots that are old, and why they are: the result is unknown. */
  readonly old?: string;
  /** It depends on what is read live, where no live read is made: the result is unknown. In words. */
  readonly notRead?: string;
}

/** The missing object, by name and field. */
export interface Dependency {
  /** `Cluster.status.initialization.infrastructureProvisioned`, as the function says it. */
  readonly what: string;
  /** `Cluster default/demo`; absent when the function has not read one. */
  readonly object?: string;
  readonly field?: string;
  /** Value of the field; absent = not set. */
  readonly value?: unknown;
  /** The object is being deleted. */
  readonly isGoing?: true;
  /** Reason, of a Connection. */
  readonly reason?: string;
}

interface ExplainingStep extends ReadSources {
  readonly clock: Clock;
  /** The freshness of the read model; absent where it is current. */
  readonly freshness?: Freshness;
}

/**
 * Runs the step on the read model as a worker would, with a reader that reads and clients that send no write.
 * It is the code of every run, so that it cannot contradict the functions.
 */
export async function explainStep(
  fn: AnyFunction,
  { key, object }: { readonly key: string; readonly object: KubeObject },
  { store, clients, clock, freshness = CURRENT }: ExplainingStep,
): Promise<StepNow> {
  const lease: Lease = {
    key,
    runId: "capstan-explain",
    causes: [{ what: "explain" }],
    failures: 0,
    retries: 0,
    fences: [],
    signal: new AbortController().signal,
  };
  const { describe } = createIssuer(x509);
  const issuer = { describe, issue: nothingIssued };
  const readers = { issuer, manifests: await openManifests([fn]) };
  const context = { store, clients: withoutWrites(clients), clock, log: createLog("silent"), ...readers };
  const outcome = await runStep(fn, lease, context);
  const { reads, writes } = outcome.record;
  const silence = freshness.silenceOf(managementType(fn.spec.reconciles)) ?? silenceBehind(reads, freshness);
  if (silence !== undefined) return { wouldSend: [], old: silence.message };
  return stepNow(outcome, writes.map(titleOfWrite), (what) => dependencyOf(what, { fn, object, reads }));
}

/** A step that has read one old snapshot may have decided by it. */
function silenceBehind(reads: readonly RecordedRead[], { silenceOf }: Freshness): Silence | undefined {
  for (const { question, source } of reads) {
    if (source === "live") continue;
    const silence = silenceOf(
      "reference" in question
        ? { cluster: MANAGEMENT, group: question.reference.apiGroup, kind: question.reference.kind }
        : { cluster: question.cluster, group: question.kind.group, kind: question.kind.kind },
    );
    if (silence !== undefined) return silence;
  }
  return undefined;
}

function withoutWrites(clients: Clients): Clients {
  return {
    of: (...named) => {
      const client = clients.of(...named);
      return {
        ...acceptedWrites(),
        get: (kind, key) => client.get(kind, key),
        list: (kind, options) => client.list(kind, options),
        watch: (kind, options, signal) => client.watch(kind, options, signal),
        kinds: (apiVersion) => client.kinds(apiVersion),
      };
    },
  };
}

function stepNow(
  outcome: EndedRun,
  wouldSend: readonly string[],
  toDependency: (what: string) => Dependency,
): StepNow {
  if (outcome.type === "error") {
    const { failure } = outcome;
    return failure.reason === NOT_READ ? { wouldSend: [], notRead: failure.message } : { wouldSend, failure };
  }
  if (outcome.type === "retry") {
    const { thrown } = outcome.record;
    return {
      wouldSend,
      notListed: true,
      ...(thrown instanceof NotListedError ? { why: thrown.message } : {}),
    };
  }
  const { waitingFor, afterMs } = outcome;
  if (afterMs !== undefined) {
    return { wouldSend, againAfterMs: afterMs, ...(waitingFor === undefined ? {} : { why: waitingFor }) };
  }
  return waitingFor === undefined ? { wouldSend } : { wouldSend, waitsFor: toDependency(waitingFor) };
}

interface Scene {
  readonly fn: AnyFunction;
  readonly object: KubeObject;
  readonly reads: readonly RecordedRead[];
}

/**
 * `Kind.path` names the kind (or the contract) and the field, ` of …` behind it the object by name; without that, what
 * the step has read says which object it is.
 */
export function dependencyOf(what: string, { fn, object, reads }: Scene): Dependency {
  const [, named = "", field, which] = /^([A-Za-z]+)(?:\.(\S+)(?: of (.+))?)?/.exec(what) ?? [];
  const target = referencedAs(named, fn, object);
  const { kind = named } = target ?? {};
  const found = [object, ...reads.flatMap(objectsIn(which))].find(
    (one) => one.kind === kind && [undefined, one.metadata.name].includes(which ?? target?.name),
  );
  const missing = which === undefined ? missingIn(kind, reads) : `${kind} ${which}`;
  const name = found === undefined ? (target?.text ?? missing) : nameOf(found.kind, found.metadata);
  const value = found === undefined || field === undefined ? undefined : shown(valueAt(found, field));
  const reason =
    kind === Connection.kind && found !== undefined ? shown(valueAt(found, "status.message")) : undefined;
  return {
    what,
    ...(typeof reason === "string" ? { reason } : {}),
    ...(name === undefined ? {} : { object: name }),
    ...(field === undefined ? {} : { field }),
    ...(value === undefined ? {} : { value }),
    ...(found?.metadata.deletionTimestamp === undefined ? {} : { isGoing: true }),
  };
}

/** Returns a text short enough for a line. */
function shown(value: unknown): string | number | boolean | undefined {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (value === "") return "empty";
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? value
    : undefined;
}

/** Returns the objects of a read; in a list, only a name identifies the one that is meant. */
function objectsIn(name: string | undefined): (read: RecordedRead) => readonly KubeObject[] {
  return ({ answer }) => {
    if (answer.type === "object") return answer.object === undefined ? [] : [answer.object];
    if (answer.type === "list") return name !== undefined || answer.items.length === 1 ? answer.items : [];
    return answer.type === "referenced" && answer.value.state === "found" ? [answer.value.object] : [];
  };
}

/** Returns the provider object of a contract kind: the one that is referenced at the contract's path. */
function referencedAs(
  contract: string,
  { spec }: AnyFunction,
  object: KubeObject,
): { readonly kind: string; readonly name: string; readonly text: string } | undefined {
  const path = spec.watches
    .flatMap(({ on }) => (isContractKind(on) && on.contract === contract ? on.referencedBy : []))
    .find(({ kind }) => kind.kind === object.kind)?.path;
  if (path === undefined) return undefined;
  const [kind, name] = [valueAt(object, `${path}.kind`), valueAt(object, `${path}.name`)];
  if (typeof kind !== "string" || typeof name !== "string") return undefined;
  return { kind, name, text: nameOf(kind, { ...object.metadata, name }) };
}

/** An object that the step has read and that does not exist. */
function missingIn(kind: string, reads: readonly RecordedRead[]): string | undefined {
  for (const { question } of reads) {
    if ("key" in question && question.kind.kind === kind) return nameOf(kind, question.key);
    if ("reference" in question && question.reference.kind === kind) {
      return nameOf(kind, { ...question, ...question.reference });
    }
  }
  return undefined;
}

/** Reason of a step that was not explained, because it reads what no snapshot has. */
const NOT_READ = "NotRead";

/**
 * Clients that send nothing at all: the console explains from snapshots, for it has no right to more. A live read
 * throws a KubeError with reason NotRead that names it.
 */
export function withoutLiveReads(): Clients {
  return {
    of: () => ({
      ...acceptedWrites(),
      get: async ({ kind }, key) => notRead(kind, key),
      list: async ({ kind }) => notRead(`each ${kind}`),
      watch: ({ kind }) => notRead(`each ${kind}`),
      kinds: async (apiVersion) => notRead(`kinds of ${apiVersion}`),
    }),
  };
}

function notRead(kind: string, key?: ObjectKey): never {
  const what = key === undefined ? kind : titleOf(kind, key);
  throw new KubeError({
    class: "Transient",
    status: 0,
    reason: NOT_READ,
    message: `it depends on ${what}, which is read live and not shown here; capstan explain reads it`,
  });
}
