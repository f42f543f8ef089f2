import { type KubeObject, refTo } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { MachineSet } from "../../../shared/api/machineset.ts";
import type { Referenced } from "../../../shared/contract/referenced.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import type { GuardedPatch } from "../../../shared/function/define-function.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import type { Reader } from "../../../shared/function/reads.ts";
import { done, type Result, requeueAfter } from "../../../shared/function/result.ts";
import { goneKeys, inPlacePatch, objectPatch } from "../../../shared/rules/machines/in-place.ts";
import { metadataPatch } from "../../../shared/rules/machines/template-keys.ts";
import { controllerAdoption } from "../../../shared/rules/metadata/controller-adoption.ts";
import { controllerOf, controllerReference } from "../../../shared/rules/metadata/owner-references.ts";
import { setTemplate } from "./in-place.ts";
import { isAdoptable } from "./machines.ts";
import type { SetView } from "./machines-view.ts";

/** Patches of the Machines that the set takes over, with their Events. */
export function adoptions({ set, machines }: SetView): readonly GuardedPatch[] {
  const controller = controllerReference(MachineSet, set);
  return machines
    .filter((machine) => isAdoptable(set, machine))
    .map((machine) => controllerAdoption(Machine, machine, controller));
}

/**
 * Machines whose fields, or whose objects' labels, are not those of the template. Annotations of the objects are in no
 * snapshot: they are written together with those of their Machine.
 */
export function outOfSync({ set, own, objects }: SetView): readonly Machine[] {
  return own.filter(
    (machine) =>
      inPlacePatch(setTemplate(set), machine).length > 0 ||
      ownObjects(machine, objects.get(machine.metadata.name)).some(
        ({ object }) => !isDeleting(machine) && labelsPatch(set, machine, object).length > 0,
      ),
  );
}

function labelsPatch(set: MachineSet, machine: Machine, object: KubeObject) {
  const template = setTemplate(set);
  const { labels } = template.metadata;
  const { annotations: _, ...metadata } = object.metadata;
  return metadataPatch({ ...object, metadata }, { labels, annotations: {} }, goneKeys(template, machine));
}

type Found = Extract<Referenced, { state: "found" }>;

/** The objects that the Machine controls: those of another controller are left alone. */
function ownObjects(
  { metadata }: Machine,
  objects: { readonly bootstrap: Referenced | undefined; readonly infrastructure: Referenced } | undefined,
): readonly Found[] {
  return [objects?.bootstrap, objects?.infrastructure].flatMap((found) =>
    found?.state === "found" && controllerOf(found.object)?.uid === metadata.uid ? [found] : [],
  );
}

/**
 * Patches that bring a Machine to the template: its objects first. Once these are right the Machine follows, so a crash
 * between the two loses no key that must be removed.
 */
export async function syncPatches(
  live: Pick<Reader, "referenced">,
  set: MachineSet,
  machine: Machine,
): Promise<readonly GuardedPatch[]> {
  const { namespace = "" } = machine.metadata;
  const { bootstrap, infrastructureRef } = machine.spec;
  const operations = inPlacePatch(setTemplate(set), machine);
  const own = { target: refTo(Machine, machine), operations };
  if (isDeleting(machine)) return [own];
  const [config, infrastructure] = await Promise.all([
    bootstrap.configRef === undefined ? undefined : live.referenced(bootstrap.configRef, namespace),
    live.referenced(infrastructureRef, namespace),
  ]);
  const objects = ownObjects(machine, { bootstrap: config, infrastructure })
    .map(({ kind, object }) => ({
      target: refTo(kind, object),
      operations: objectPatch(setTemplate(set), machine, object),
    }))
    .filter((patch) => patch.operations.length > 0);
  return objects.length > 0 ? objects : [own];
}

const FOLLOW_MS = SECOND;

/**
 * Returns the result of a run that sends these patches. Annotations of the objects of a Machine are in no snapshot: where
 * only these change, no watch shows that the Machine may follow.
 */
export function untilFollowed(patches: readonly GuardedPatch[]): Result {
  const isSeen = patches.some(
    ({ target, operations }) =>
      target.kind.kind === Machine.kind || operations.some(({ path }) => path.startsWith("/metadata/labels")),
  );
  return isSeen ? done : requeueAfter(FOLLOW_MS, "annotations of objects, whose Machines follow");
}
