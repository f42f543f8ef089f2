import { escapePointer, pointerOf, valueAt } from "../../../shared/api/path.ts";
import { type PauseTrial, type Snapshot, titleOf } from "../../../shared/contract/rules/probe/subject.ts";
import { change, kindIn } from "./scratch.ts";
import { type Stage, setPaused, setReplicas } from "./stage.ts";
import { follows, infraOf, objectsIn, poolIn, says } from "./views.ts";
import { LifeEnded } from "./watcher.ts";

const PAUSED_KEY = "cluster.x-k8s.io/paused";

/** Pauses everything by the Cluster. */
export async function pauseByCluster(stage: Stage): Promise<PauseTrial> {
  stage.options.note("paused by spec.paused of the Cluster");
  await setPaused(stage, true);
  const targets = new Set(objectsIn(await stage.watcher.look()).map(titleOf));
  return runTrial(stage, { by: "Cluster", targets, unpause: () => setPaused(stage, false) });
}

/** Pauses one object by its annotation: that of the MachinePool, or the first one. */
export async function pauseByAnnotation(stage: Stage): Promise<PauseTrial | undefined> {
  const { scratch, provisioned, options } = stage;
  const pool = poolIn(provisioned);
  const object = pool === undefined ? objectsIn(provisioned)[0] : infraOf(provisioned, pool);
  const kind = object && kindIn(scratch.kinds, object);
  if (object === undefined || kind === undefined) return undefined;
  const title = titleOf(object);
  options.note(`${title} paused by its annotation`);
  const key = { namespace: scratch.namespace, name: object.metadata.name };
  const { apiVersion } = object;
  const metadata = { ...key, annotations: { [PAUSED_KEY]: "true" } };
  // A manager of its own: that of the manifest would lose every other field.
  await scratch.server.as("contract-pause").apply(kind, key, { apiVersion, kind: kind.kind, metadata });
  const path = `/metadata/annotations/${escapePointer(PAUSED_KEY)}`;
  const unpause = () => change(scratch, object, [{ op: "remove", path }]);
  return runTrial(stage, { by: "annotation", targets: new Set([title]), unpause });
}

interface Pause extends Pick<PauseTrial, "by" | "targets"> {
  readonly unpause: () => Promise<void>;
}

async function runTrial(stage: Stage, { by, targets, unpause }: Pause): Promise<PauseTrial> {
  const { options, watcher } = stage;
  const saidPaused = await saying(stage, "True", { targets, limitMs: options.restMs });
  const before = await stage.quiet();
  const pool = poolIn(before);
  const replicas = valueAt(pool, "spec.replicas") === 2 ? 3 : 2;
  await (pool === undefined ? mutate(stage, before) : setReplicas(stage, pool, replicas));
  await watcher.rest(options.restMs);
  const after = await watcher.look();
  await unpause();
  options.note("unpaused");
  const saidResumed = await saying(stage, "False", { targets: saidPaused, limitMs: options.limitMs });
  if (pool !== undefined) await watcher.until((snapshot) => follows(snapshot, pool, replicas));
  await stage.quiet();
  return { by, targets, before, after, saidPaused, saidResumed };
}

/** Returns the titles of targets that have said it; one that is gone has nothing to say. */
async function saying(
  { watcher }: Stage,
  status: "True" | "False",
  { targets, limitMs }: { readonly targets: ReadonlySet<string>; readonly limitMs: number },
): Promise<ReadonlySet<string>> {
  const said = new Set<string>();
  await watcher.until((snapshot) => {
    for (const title of targets) {
      const target = snapshot.get(title);
      if (target === undefined || says(target, status)) said.add(title);
    }
    return said.size === targets.size;
  }, limitMs);
  return said;
}

async function mutate({ scratch, options: { mutation } }: Stage, snapshot: Snapshot): Promise<void> {
  if (mutation === undefined) return;
  const targets = objectsIn(snapshot).filter((object) => valueAt(object, mutation.path) !== undefined);
  if (targets.length === 0) throw new LifeEnded(`--mutate: no object of a provider has ${mutation.path}`);
  const path = pointerOf(mutation.path);
  for (const object of targets) {
    await change(scratch, object, [{ op: "add", path, value: mutation.value }]);
  }
}
