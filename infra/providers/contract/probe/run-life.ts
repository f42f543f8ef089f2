import { apiVersionOf, type KubeObject } from "../../../../shared/api/kinds.ts";
import { listAt, valueAt } from "../../../../shared/api/path.ts";
import { clusterIn, hasEndpoint, machinesOf } from "../../../../shared/contract/rules/probe/life-views.ts";
import {
  type LabelTrial,
  type Life,
  type ManagedTrial,
  type PauseTrial,
  type ScaleTrial,
  type Snapshot,
  titleOf,
  type WipeTrial,
  type WorkloadNodes,
} from "../../../../shared/contract/rules/probe/subject.ts";
import { KubeError } from "../../../../shared/function/errors.ts";
import { runClaimTrials } from "./claim-trials.ts";
import {
  applyManifest,
  clusterOn,
  type LifeOptions,
  type ManifestObject,
  type Stage,
  setPaused,
  setReplicas,
} from "./manifest.ts";
import { pauseByAnnotation, pauseByCluster, runManagedTrial } from "./pause-trials.ts";
import { change, kindIn, type Scratch, workloadNodes } from "./scratch.ts";
import { runTemplateTrials } from "./template-trials.ts";
import {
  follows,
  infraOf,
  isReady,
  isRestored,
  objectsIn,
  poolIn,
  says,
  silent,
  templatesIn,
  unready,
} from "./views.ts";
import { LifeEnded, lookUntil, Watcher } from "./watcher.ts";

export interface LivedLife {
  readonly life: Omit<Life, "left" | "outlived">;
  /** Why it ended before its time, a line for each reason. */
  readonly ended: string | undefined;
}

/**
 * Applies a manifest to the namespace and drives its objects as a user does, until before the deletion; records what they
 * do. Throws where the manifest has a kind that the server does not serve.
 */
export async function runLife(
  scratch: Scratch,
  manifest: readonly ManifestObject[],
  options: LifeOptions,
): Promise<LivedLife> {
  using watcher = new Watcher(scratch, options);
  const run = new Run(scratch, manifest, { options, watcher });
  let ended: string | undefined;
  try {
    await run.play();
  } catch (error) {
    if (options.signal.aborted) ended = "stopped by a signal";
    else if (error instanceof LifeEnded || error instanceof KubeError) ended = error.message;
    else throw error;
  }
  return { life: run.life(), ended };
}

/** Pauses the Cluster, empties the status of every provider object as a move does, and ends the pause. */
export async function runWipeTrial(stage: Stage): Promise<WipeTrial> {
  const { options, watcher, scratch } = stage;
  const { roleOf } = scratch;
  const readNodes = () => workloadNodes(scratch, clusterOn(stage));
  options.note("every status replaced by an empty one, while paused");
  await setPaused(stage, true);
  const areSaid = (snapshot: Snapshot) => objectsIn(roleOf, snapshot).every((object) => says(object, "True"));
  await watcher.until(areSaid, options.restMs);
  const before = await stage.quiet();
  const nodesBefore = await readNodes();
  for (const object of objectsIn(roleOf, before)) {
    await change(scratch, object, [{ op: "add", path: "/status", value: {} }], "status");
  }
  await setPaused(stage, false);
  options.note("waits until every status is back");
  const { seen, last } = await watcher.until((snapshot) => isRestored(roleOf, before, snapshot));
  // A status that never comes back is a result, too.
  const after = seen ? await stage.quiet() : last;
  return { before, after, nodesBefore, nodesAfter: await readNodes() };
}

const KEY = "contract.capstan.dev/probe";

/** Gives the Machine template of each control plane a label, and waits until its Machines have it. */
export async function runLabelTrials(stage: Stage): Promise<ReadonlyMap<string, LabelTrial>> {
  const { scratch, watcher, options } = stage;
  const { namespace } = scratch;
  const trials = new Map<string, LabelTrial>();
  const before = await watcher.look();
  for (const object of objectsIn(scratch.roleOf, before)) {
    const title = titleOf(object);
    const kind = kindIn(scratch.kinds, object);
    const isControlPlane = scratch.roleOf(object)?.contractKind === "ControlPlane";
    const hasTemplate = valueAt(object, "spec.machineTemplate") !== undefined;
    if (!isControlPlane || !hasTemplate || kind === undefined || machinesOf(title, before).length === 0)
      continue;
    options.note(`${title}: a label for its Machines`);
    const { name, uid } = object.metadata;
    const spec = { machineTemplate: { metadata: { labels: { [KEY]: "yes" } } } };
    const body = {
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      metadata: { name, namespace, uid },
      spec,
    };
    // A manager of its own: that of the manifest would lose every other field.
    await scratch.server.as("contract-label").apply(kind, { namespace, name }, body);
    await watcher.until((snapshot) =>
      machinesOf(title, snapshot).every(({ metadata }) => metadata.labels?.[KEY] !== undefined),
    );
    trials.set(title, { key: KEY, before, after: await stage.quiet() });
  }
  return trials;
}

const REPLICAS = [2, 3, 1];

/** Scales the MachinePool up and down, and adds each trial to `scaled`. */
export async function runScaleTrials(stage: Stage, scaled: ScaleTrial[]): Promise<void> {
  const pool = poolIn(stage.provisioned);
  if (pool === undefined) return;
  let nodesWithinMs = stage.options.limitMs;
  for (const replicas of REPLICAS) {
    stage.options.note(`replicas ${replicas}`);
    const before = await stage.watcher.look();
    await setReplicas(stage, pool, replicas);
    const { seen: settled } = await stage.watcher.until((snapshot) => follows(snapshot, pool, replicas));
    const after = await stage.quiet();
    const { seen, last: nodes } = await nodesOf(stage, infraOf(after, pool), nodesWithinMs);
    scaled.push({ replicas, settled, before, after, nodes });
    // The rule is broken already; the other trials need not wait as long.
    if (!seen) nodesWithinMs = 0;
  }
}

/** A Node comes some time after its instance. */
function nodesOf(
  stage: Stage,
  infra: KubeObject | undefined,
  limitMs: number,
): Promise<{ readonly seen: boolean; readonly last: WorkloadNodes }> {
  const { scratch, options } = stage;
  const list = listAt(infra, "spec.providerIDList").map(String);
  const areKnown = (nodes: WorkloadNodes): boolean =>
    nodes === undefined || list.every((id) => nodes.has(id));
  const look = () => workloadNodes(scratch, clusterOn(stage));
  return lookUntil(look, areKnown, { clock: scratch.clock, limitMs, signal: options.signal });
}

class Run implements Stage {
  provisioned: Snapshot = new Map();
  readonly scratch: Scratch;
  readonly manifest: readonly ManifestObject[];
  readonly options: LifeOptions;
  readonly watcher: Watcher;
  readonly #readyWithoutEndpoint = new Set<string>();
  readonly #scaled: ScaleTrial[] = [];
  readonly #pauses: PauseTrial[] = [];
  readonly #snapshots: Snapshot[] = [];
  #labelled: ReadonlyMap<string, LabelTrial> = new Map();
  #claims: Life["claims"] = new Map();
  #templates: Life["templates"] = new Map();
  #managed: ManagedTrial | undefined;
  #wiped: Life["wiped"];

  constructor(
    scratch: Scratch,
    manifest: readonly ManifestObject[],
    { options, watcher }: Pick<Stage, "options" | "watcher">,
  ) {
    this.scratch = scratch;
    this.manifest = manifest;
    this.options = options;
    this.watcher = watcher;
  }

  life(): LivedLife["life"] {
    return {
      provisioned: this.provisioned,
      readyWithoutEndpoint: this.#readyWithoutEndpoint,
      scaled: this.#scaled,
      pauses: this.#pauses,
      labelled: this.#labelled,
      managed: this.#managed,
      claims: this.#claims,
      templates: this.#templates,
      wiped: this.#wiped,
      snapshots: this.#snapshots,
      seen: this.watcher.seen,
    };
  }

  async play(): Promise<void> {
    await this.watcher.follow();
    await applyManifest(this.scratch, this.manifest);
    this.options.note("applied the manifest");
    await this.#provision();
    await runScaleTrials(this, this.#scaled);
    this.#labelled = await runLabelTrials(this);
    this.#pauses.push(await pauseByCluster(this));
    this.#pauses.push(await pauseByAnnotation(this));
    this.#claims = await runClaimTrials(this);
    const templates = templatesIn(this.scratch.roleOf, await this.watcher.look());
    if (templates.length > 0) this.options.note("templates changed as the topology does");
    this.#templates = await runTemplateTrials(this.scratch, templates, this.options.mutation);
    this.#managed = await runManagedTrial(this);
    this.#wiped = await runWipeTrial(this);
  }

  async quiet(): Promise<Snapshot> {
    const last = await this.watcher.quiet();
    this.#snapshots.push(last);
    return last;
  }

  async #provision(): Promise<void> {
    this.options.note("waits until everything is provisioned");
    const { roleOf } = this.scratch;
    let ready: readonly string[] = [];
    await this.watcher.until((snapshot) => {
      this.provisioned = snapshot;
      // Kinds are listed at slightly different times: this Cluster is newer than what the look before has seen.
      if (!hasEndpoint(clusterIn(snapshot))) for (const title of ready) this.#readyWithoutEndpoint.add(title);
      ready = objectsIn(roleOf, snapshot)
        .filter((object) => isReady(roleOf, object))
        .map(titleOf);
      return unready(roleOf, snapshot).length === 0;
    });
    const missing = unready(roleOf, this.provisioned);
    const unanswered = silent(roleOf, this.provisioned);
    if (missing.length > 0 && unanswered.length > 0) throw new LifeEnded(unanswered.join("\n"));
    if (missing.length > 0) throw new LifeEnded(`not ready within the limit: ${missing.join(", ")}`);
    this.provisioned = await this.quiet();
  }
}
