import { FENCES_KEPT_MS } from "../../../infra/queue/claim.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { AttemptRecord } from "../../../shared/runtime/attempt-record.ts";
import type { Cause } from "../../../shared/runtime/queue-port.ts";
import type { ObservedRun } from "../observed-runs.ts";
import type { Oracle } from "./oracle.ts";
import { objectsRead, type ReadObject } from "./run-reads.ts";

interface Known {
  readonly version: number;
  readonly at: number;
}

/** No going back in time: F-05. */
export const freshness: readonly Oracle[] = [
  {
    number: "F-05",
    title: "no run acts on less than its trigger, an earlier run of its key, or its own writes",
    watch({ world, violated, evaluated }) {
      const { kernel, ledger, store, runs, management } = world;
      /** By function and key, then by object: what its last writes came to, and the newest it has acted on. */
      const written = new Map<string, Map<string, Known>>();
      const used = new Map<string, Map<string, Known>>();
      /** By the causes that were handed out with the claim: two runs of one key may overlap. */
      const ended = new WeakMap<readonly Cause[], ObservedRun>();
      /** By cluster and version: the step at which the read model has shown it. */
      const shown = new Map<string, number>();
      let wentBackAt = 0;
      // A read model that goes back by itself has no fences; what was written has.
      const goBack = (): void => {
        used.clear();
        wentBackAt = kernel.steps;
      };
      ledger.onWipe(() => written.clear());
      store.onWipe(goBack);
      store.onDrop(goBack);
      let restoredAt = Number.NEGATIVE_INFINITY;
      management.onRestore(() => {
        restoredAt = kernel.now;
        written.clear();
        goBack();
      });
      store.onShown(({ type, after }) =>
        shown.set(`${type.cluster} ${after?.metadata.resourceVersion}`, kernel.steps),
      );

      const check = (run: ObservedRun, read: ReadObject): void => {
        // Versions before and after a restore are not comparable (R-03), and some from before are still under way.
        if (kernel.now < restoredAt + FENCES_KEPT_MS) return;
        const { name, version } = identityOf(read);
        const tell = (than: string, known: number): void =>
          violated(`${run.functionName} ${run.key} acts on ${name}@${version}, older than ${than} ${known}`);
        const trigger = triggerOf(run, read.object);
        const isShown = (shown.get(`${read.cluster} ${trigger}`) ?? 0) > wentBackAt;
        if (trigger !== undefined && isShown && version < trigger) tell("its trigger", trigger);
        const earlier = used.get(nameOf(run))?.get(name);
        // What has ended since is no earlier run: this one has stood still beyond its lease (X-05).
        const isEarlier = earlier !== undefined && earlier.at <= run.startedAt;
        if (isEarlier && version < earlier.version) tell("an earlier run", earlier.version);
        const own = written.get(nameOf(run))?.get(name);
        if (own === undefined || own.at > run.startedAt || run.startedAt - own.at >= FENCES_KEPT_MS) return;
        evaluated();
        if (version < own.version) tell("its own write", own.version);
      };
      runs.onEnd((run) => {
        ended.set(run.lease.causes, run);
        // A run that has decided nothing acts on nothing.
        if (run.record?.decision === undefined) return;
        const snapshots = objectsRead(run.record).filter(({ source }) => source === "snapshot");
        for (const read of snapshots) check(run, read);
      });
      ledger.onFinish(({ functionName, claim, accepted, outcome }) => {
        const name = `${functionName} ${claim.key}`;
        const run = ended.get(claim.causes);
        if (!accepted || run === undefined || outcome.type === "again") return;
        const acted = objectsRead(run.record).filter(({ source }) => source === "snapshot");
        for (const read of acted) note(used, name, identityOf(read), kernel.now);
        if (run.record !== undefined)
          for (const write of writesOf(run.record)) note(written, name, write, kernel.now);
      });
    },
  },
  {
    number: "F-05",
    title: "a key waits for the read model at most 50 times in a row, then reads live",
    watch({ world, violated, evaluated }) {
      world.ledger.onFinish(({ functionName, claim, outcome }) => {
        // A first list takes as long as it takes; it is waited for in longer and longer steps (KR-22).
        if (outcome.type !== "again" || outcome.afterMs !== BARRIER_MS) return;
        evaluated();
        if (claim.again >= MOST_WAITS)
          violated(`${functionName} ${claim.key} waits for the ${claim.again + 1}th time`);
      });
    },
  },
];

const BARRIER_MS = 100;
const MOST_WAITS = 50;

function nameOf({ functionName, key }: ObservedRun): string {
  return `${functionName} ${key}`;
}

interface Identity {
  /** Cluster, kind, name and uid. */
  readonly name: string;
  readonly version: number;
}

function identityOf({ cluster, object }: Pick<ReadObject, "cluster" | "object">): Identity {
  const { namespace = "", name, uid, resourceVersion } = object.metadata;
  return { name: `${cluster} ${object.kind} ${namespace}/${name} ${uid}`, version: Number(resourceVersion) };
}

/** What the API server has answered, as far as the object was read before. */
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

function note(
  known: Map<string, Map<string, Known>>,
  of: string,
  { name, version }: Identity,
  at: number,
): void {
  const objects = known.get(of) ?? new Map<string, Known>();
  known.set(of, objects);
  if ((objects.get(name)?.version ?? 0) < version) objects.set(name, { version, at });
}

/** The newest version among the causes that name this object. */
function triggerOf({ lease }: ObservedRun, object: KubeObject): number | undefined {
  const { namespace = "", name } = object.metadata;
  const text = `${object.kind} ${namespace === "" ? name : `${namespace}/${name}`}`;
  const versions = lease.causes.flatMap(({ what, resourceVersion }) =>
    what === text && resourceVersion !== undefined ? [Number(resourceVersion)] : [],
  );
  return versions.length === 0 ? undefined : Math.max(...versions);
}
