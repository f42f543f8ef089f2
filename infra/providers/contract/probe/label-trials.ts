import { apiVersionOf } from "../../../../shared/api/kinds.ts";
import { valueAt } from "../../../../shared/api/path.ts";
import { machinesOf } from "../../../../shared/contract/rules/probe/life-views.ts";
import { type LabelTrial, titleOf } from "../../../../shared/contract/rules/probe/subject.ts";
import { kindIn } from "./scratch.ts";
import type { Stage } from "./stage.ts";
import { objectsIn } from "./views.ts";

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
