import { FENCES_KEPT_MS } from "../../../infra/queue/claim.ts";
import { serverVersionOf } from "../../../infra/relay/snapshot.ts";
import { Connection } from "../../../shared/api/core.ts";
import { type KubeObject, titleOf } from "../../../shared/api/kinds.ts";
import { KubeError } from "../../../shared/function/errors.ts";
import type { AttemptRecord } from "../../../shared/runtime/attempt-record.ts";
import type { Cause } from "../../../shared/runtime/queue/queue-port.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { ObservedRun } from "../ports/observed-runs.ts";
import { type Looks, looksIn } from "./looks.ts";
import type { Oracle } from "./oracle.ts";
import { objectsRead, type ReadObject } from "./run-reads.ts";

interface Known {
  readonly version: number;
  readonly at: number;
  /** Of the kernel: much can happen in one millisecond. */
  readonly step: number;
}

/** By function and key, then by object. */
type KnownByRun = Map<string, Map<string, Known>>;

/** No going back in time, also when the read model does: F-05. */
export const freshness: readonly Oracle[] = [
  {
    number: "F-05",
    title: "no run acts on less than its trigger, an earlier run of its key, or its own writes",
    watch({ world, violated, evaluated }) {
      const { kernel, ledger, store, runs, management } = world;
      /**
       * Results of the last writes of a key, or of its live lists in place of snapshots, as long as the ledger knows;
       * and the newest snapshots that its runs have acted on.
       */
      const written: KnownByRun = new Map();
      const used: KnownByRun = new Map();
      /** By the causes that were handed out with the claim: two runs of one key may overlap. */
      const ended = new WeakMap<readonly Cause[], ObservedRun>();
      /** Versions of objects, by uid, that the read model has shown: a cause does not say of which server it is. */
      const shown = new Set<string>();
      const looks = looksIn(world);
      /** Of runs that their lease has cut off: the next run cannot know of answers that come later. */
      const atCutOff = new WeakMap<ObservedRun, readonly Identity[]>();
      runs.onBegin((run) => {
        run.lease.signal.addEventListener("abort", () => atCutOff.set(run, seenBy(run, looks)));
      });
      ledger.onWipe(() => written.clear());
      let restoredAt = Number.NEGATIVE_INFINITY;
      management.onRestore(() => {
        restoredAt = kernel.now;
        for (const known of [written, used, shown]) known.clear();
      });
      store.onShown(({ after }) => shown.add(`${after?.metadata.uid} ${after?.metadata.resourceVersion}`));
      /** Open: a second relay that lags may store what is gone once more. */
      const gone = new Set<string>();
      management.onChange((_type, { type, object }) => {
        if (type === "DELETED") gone.add(object.metadata.uid);
      });

      /** Versions before and after a restore are not comparable, and some from before are still under way. */
      const isSettled = (): boolean => kernel.now >= restoredAt + FENCES_KEPT_MS;
      const check = (run: ObservedRun, read: ReadObject): void => {
        if (!isSettled() || gone.has(read.object.metadata.uid ?? "")) return;
        const { name, version } = identityOf(read);
        const assertNotOlder = (than: string, known: number | undefined, seen = version): void => {
          if (known === undefined) return;
          evaluated();
          if (seen < known - (read.object.kind === Connection.kind ? CLOCKS_DIFFER_MS : 0))
            violated(
              `${run.functionName} ${run.key} acts on ${name}@${version}, older than ${than} ${known}`,
            );
        };
        const trigger = triggerOf(run, read.object);
        const { uid, resourceVersion } = read.object.metadata;
        // Both are versions of snapshots: that of a CustomResourceDefinition says more than the server's.
        assertNotOlder(
          "its trigger",
          shown.has(`${uid} ${trigger}`) ? trigger : undefined,
          Number(resourceVersion),
        );
        assertNotOlder("an earlier run", knownBefore(used, run, name)?.version);
        const own = knownBefore(written, run, name);
        const isKept = own !== undefined && run.startedAt - own.at < FENCES_KEPT_MS;
        assertNotOlder("its own write", isKept ? own.version : undefined);
      };
      runs.onEnd((run) => {
        ended.set(run.lease.causes, run);
        // A run that has decided nothing acts on nothing.
        if (run.record?.decision === undefined) return;
        for (const read of snapshotsIn(run)) check(run, read);
      });
      ledger.onFinish(({ functionName, claim, accepted, outcome }) => {
        const name = `${functionName} ${claim.key}`;
        const run = ended.get(claim.causes);
        if (!accepted || run === undefined || outcome.type === "retry" || !isSettled()) return;
        for (const read of snapshotsIn(run)) note(used, name, identityOf(read), kernel);
        for (const seen of atCutOff.get(run) ?? seenBy(run, looks)) note(written, name, seen, kernel);
        looks.forget(run.runId);
      });
    },
  },
  {
    number: "F-05",
    title: "a key waits for the read model at most 16 times in a row, then reads live",
    needs: { faults: ["X-06", "X-12", "X-13", "X-36"], why: "the read model is never behind" },
    watch({ world, violated, evaluated }) {
      world.ledger.onFinish(({ functionName, claim, outcome }) => {
        // A first list takes as long as it takes; it is waited for in longer steps in the end (KR-22).
        if (outcome.type !== "retry" || outcome.afterMs > LONGEST_WAIT_MS) return;
        evaluated();
        if (claim.retries >= MOST_WAITS)
          violated(`${functionName} ${claim.key} waits for the ${claim.retries + 1}th time`);
      });
    },
  },
];

/** A Connection has its versions from the clock of the relay that has published it, which may be wrong. */
const CLOCKS_DIFFER_MS = 2 * 30_000;
const LONGEST_WAIT_MS = 800;
const MOST_WAITS = 16;

/** Knowledge of a key when the run began: a run that has ended since was not earlier, this one stood still. */
function knownBefore(known: KnownByRun, run: ObservedRun, object: string): Known | undefined {
  const found = known.get(`${run.functionName} ${run.key}`)?.get(object);
  return found !== undefined && found.step <= run.startedInStep ? found : undefined;
}

function snapshotsIn({ record }: ObservedRun): readonly ReadObject[] {
  return objectsRead(record).filter(({ source }) => source === "snapshot");
}

interface Identity {
  /** Cluster, kind, name and uid. */
  readonly name: string;
  readonly version: number;
}

function identityOf({ cluster, object }: Pick<ReadObject, "cluster" | "object">): Identity {
  const { namespace = "", name, uid } = object.metadata;
  const version = Number(serverVersionOf(object));
  return { name: `${cluster} ${object.kind} ${namespace}/${name} ${uid}`, version };
}

/** Versions that the answers to a run have shown until now, snapshots left out. */
function seenBy({ runId, record }: ObservedRun, looks: Looks): readonly Identity[] {
  if (record === undefined) return [];
  return [...writesOf(record), ...lookedAt(runId, record, looks), ...listedInstead(record).map(identityOf)];
}

/** Behind a fence, the server is asked in place of the read model. */
function listedInstead(record: AttemptRecord): readonly ReadObject[] {
  const reads = record.reads.filter(({ question, source }) => question.call === "list" && source === "live");
  return objectsRead({ ...record, reads });
}

/** Answers of the API server, as far as the object was read before. */
function writesOf(record: AttemptRecord): readonly Identity[] {
  const reads = objectsRead(record);
  return record.writes.flatMap(({ cluster, kind, key, outcome }) => {
    const read = reads.find(
      ({ object: { kind: readKind, metadata } }) =>
        readKind === kind.kind && metadata.name === key.name && (metadata.namespace ?? "") === key.namespace,
    );
    if (read === undefined || outcome.resourceVersion === undefined) return [];
    return [{ ...identityOf({ cluster, object: read.object }), version: Number(outcome.resourceVersion) }];
  });
}

/**
 * Findings after a write without confirmation: whether or not it is done, the next run sees no less. A server that has
 * refused it for good has confirmed that nothing was done.
 */
function lookedAt(runId: string, record: AttemptRecord, looks: Looks): readonly Identity[] {
  return record.writes.flatMap(({ cluster, kind, key, outcome }) => {
    const { error } = outcome;
    if (error === undefined || (error instanceof KubeError && error.class === "Terminal")) return [];
    const object = looks.of(runId, { kind: kind.kind, metadata: key });
    return object === undefined ? [] : [identityOf({ cluster, object })];
  });
}

function note(known: KnownByRun, of: string, { name, version }: Identity, { now, steps }: Kernel): void {
  const objects = known.get(of) ?? new Map<string, Known>();
  known.set(of, objects);
  if ((objects.get(name)?.version ?? 0) < version) objects.set(name, { version, at: now, step: steps });
}

/** The newest version among the causes that name this object. */
function triggerOf({ lease }: ObservedRun, object: KubeObject): number | undefined {
  const text = titleOf(object.kind, object.metadata);
  const versions = lease.causes.flatMap(({ what, resourceVersion }) =>
    what === text && resourceVersion !== undefined ? [Number(resourceVersion)] : [],
  );
  return versions.length === 0 ? undefined : Math.max(...versions);
}
