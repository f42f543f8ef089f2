import { clusterIn, hasEndpoint } from "../../../../shared/contract/rules/probe/life-views.ts";
import {
  type LabelTrial,
  type Life,
  type ManagedTrial,
  type PauseTrial,
  type ScaleTrial,
  type Snapshot,
  titleOf,
  type WipeTrial,
} from "../../../../shared/contract/rules/probe/subject.ts";
import { KubeError } from "../../../../shared/function/errors.ts";
import { runClaimTrials } from "./claim-trials.ts";
import { runLabelTrials } from "./label-trials.ts";
import { runManagedTrial } from "./managed-trial.ts";
import { applyManifest, type ManifestObject } from "./manifest.ts";
import { pauseByAnnotation, pauseByCluster } from "./pause-trials.ts";
import { runScaleTrials } from "./scale-trials.ts";
import { change, type Scratch } from "./scratch.ts";
import { clusterOn, type LifeOptions, type Stage, setPaused } from "./stage.ts";
import { runTemplateTrials } from "./template-trials.ts";
import { isReady, isRestored, objectsIn, says, silent, templatesIn, unready } from "./views.ts";
import { LifeEnded, Watcher } from "./watcher.ts";
import { workloadNodes } from "./workload-nodes.ts";

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
