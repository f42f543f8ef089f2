import type { Life, PauseTrial, ScaleTrial, Snapshot } from "../../../shared/contract/rules/probe/subject.ts";
import { KubeError } from "../../../shared/function/errors.ts";
import { dryRuns } from "./dry-run.ts";
import { pauseByAnnotation, pauseByCluster } from "./pause-trials.ts";
import { runScaleTrials } from "./scale-trials.ts";
import { change, type Scratch } from "./scratch.ts";
import { type LifeOptions, type Stage, setPaused } from "./stage.ts";
import { isRestored, objectsIn, says, silent, templatesIn, unready } from "./views.ts";
import { LifeEnded, Watcher } from "./watcher.ts";

export interface LivedLife {
  readonly life: Omit<Life, "left">;
  /** Why it ended before its time, a line for each reason. */
  readonly ended: string | undefined;
  /** The newest look while everything was provisioned, or before. */
  readonly provisioned: Snapshot;
}

/** Drives the applied objects of a namespace as a user does, until before the deletion, and records what they do. */
export async function runLife(scratch: Scratch, options: LifeOptions): Promise<LivedLife> {
  const run = new Run(scratch, options);
  let ended: string | undefined;
  try {
    await run.play();
  } catch (error) {
    if (options.signal.aborted) ended = "stopped by a signal";
    else if (error instanceof LifeEnded || error instanceof KubeError) ended = error.message;
    else throw error;
  }
  return { life: run.life(), ended, provisioned: run.provisioned };
}

class Run implements Stage {
  provisioned: Snapshot = new Map();
  readonly scratch: Scratch;
  readonly options: LifeOptions;
  readonly watcher: Watcher;
  readonly #scaled: ScaleTrial[] = [];
  readonly #pauses: PauseTrial[] = [];
  readonly #snapshots: Snapshot[] = [];
  #dryRuns: Life["dryRuns"] = new Map();
  #wiped: Life["wiped"];

  constructor(scratch: Scratch, options: LifeOptions) {
    this.scratch = scratch;
    this.options = options;
    this.watcher = new Watcher(scratch, options);
  }

  life(): LivedLife["life"] {
    return {
      scaled: this.#scaled,
      pauses: this.#pauses,
      dryRuns: this.#dryRuns,
      wiped: this.#wiped,
      snapshots: this.#snapshots,
      seen: this.watcher.seen,
    };
  }

  async play(): Promise<void> {
    await this.#provision();
    await runScaleTrials(this, this.#scaled);
    this.#pauses.push(await pauseByCluster(this));
    const byAnnotation = await pauseByAnnotation(this);
    if (byAnnotation !== undefined) this.#pauses.push(byAnnotation);
    const templates = templatesIn(await this.watcher.look());
    if (templates.length > 0) this.options.note("templates changed in dry runs");
    this.#dryRuns = await dryRuns(this.scratch, templates);
    await this.#wipe();
  }

  async quiet(): Promise<Snapshot> {
    const last = await this.watcher.quiet();
    this.#snapshots.push(last);
    return last;
  }

  async #provision(): Promise<void> {
    this.options.note("waits until everything is provisioned");
    await this.watcher.until((snapshot) => {
      this.provisioned = snapshot;
      return unready(snapshot).length === 0;
    });
    const missing = unready(this.provisioned);
    const unanswered = silent(this.provisioned);
    if (missing.length > 0 && unanswered.length > 0) throw new LifeEnded(unanswered.join("\n"));
    if (missing.length > 0) throw new LifeEnded(`not ready within the limit: ${missing.join(", ")}`);
    this.provisioned = await this.quiet();
  }

  async #wipe(): Promise<void> {
    const { options, watcher, scratch } = this;
    options.note("every status replaced by an empty one, while paused");
    await setPaused(this, true);
    const areSaid = (snapshot: Snapshot) => objectsIn(snapshot).every((object) => says(object, "True"));
    await watcher.until(areSaid, options.restMs);
    const before = await this.quiet();
    for (const object of objectsIn(before)) {
      await change(scratch, object, [{ op: "add", path: "/status", value: {} }], "status");
    }
    await setPaused(this, false);
    options.note("waits until every status is back");
    const { seen, last } = await watcher.until((snapshot) => isRestored(before, snapshot)).catch(lateLook);
    this.#wiped = { before, after: seen ? await this.quiet() : (last ?? (await watcher.look())) };
  }
}

/** A status that never comes back is a result, too. */
function lateLook(error: unknown): { readonly seen: boolean; readonly last: Snapshot | undefined } {
  if (error instanceof LifeEnded) return { seen: false, last: undefined };
  throw error;
}
