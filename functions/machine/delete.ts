import { MACHINE_FINALIZER, Machine, Node, refTo } from "../../shared/api/entry.ts";
import { BootstrapConfig, InfraMachine } from "../../shared/contract/entry.ts";
import {
  type Decision,
  defineFunction,
  deleting,
  done,
  type Notice,
  pausedBy,
  type Reader,
  waitFor,
} from "../../shared/function/define-function.ts";
import { removeFinalizerPatch } from "../../shared/rules/entry.ts";
import { type DeletionView, readDeletion, readDeletionBehind, readDeletionLive } from "./rules/deletion.ts";
import { deleteNode, readNodeLeft } from "./rules/node-deletion.ts";
import { unprovenDenial } from "./rules/read-handling.ts";
import { DELETION_WATCHES } from "./rules/watches.ts";

export const machineDelete = defineFunction(
  {
    name: "machine-delete",
    summary: "Deletes infrastructure machine, config and Node of a deleted Machine, then its finalizer.",
    source: "core/reconcilers/machine/machine_controller.go",
    reconciles: Machine,
    actsOn: "deleting",
    when: [deleting],
    watches: DELETION_WATCHES,
    reads: [
      { on: Machine, fields: ["status.nodeInfo.systemUUID"] },
      { on: Node, fields: ["status.nodeInfo.systemUUID"] },
    ],
    releases: MACHINE_FINALIZER,
    calls: [
      { verb: "delete", kind: InfraMachine },
      { verb: "delete", kind: BootstrapConfig },
      { verb: "delete", kind: Node, limited: true },
    ],
    queue: { concurrency: 40, maxRunningPerTenant: 10 },
  },
  async (machine, { read, now }) => {
    // Snapshots say whether to look. A run that only waits asks no server.
    const shown = await readDeletion(read, machine);
    const held = heldBy(shown);
    if (held !== undefined) return { result: waitFor(held) };

    const view = await readDeletionLive(read, shown);
    if (view === undefined) return { result: done };
    const heldLive =
      heldBy(view) ?? (await unprovenDenial(read, view.machine, { ...view.handlingFacts, ...view.facts }));
    if (heldLive !== undefined) return { result: waitFor(heldLive) };
    return deleteNext(read, view, now);
  },
);

/** Returns why nothing is deleted now: a pause, or what the stage waits for. */
function heldBy({ machine, facts, deed }: DeletionView): string | undefined {
  return pausedBy(facts.cluster, machine) ?? deed.awaits;
}

/**
 * One deed, and those behind it as long as the object of each ends with its delete: everything that must come before a
 * deed was read live in this run, or its end is what the server answers.
 */
async function deleteNext(read: Reader, view: DeletionView, now: Date): Promise<Decision<Machine, never>> {
  const { machine, facts, deed } = view;
  const { handling } = facts;
  if (deed.awaits !== undefined) return { result: waitFor(deed.awaits) };
  if (deed.remove !== undefined) {
    const { kind, object, awaits } = deed.remove;
    const skipped = deed.step === "infrastructure" && handling.state === "denied";
    const message = skipped ? `The Node is neither drained nor deleted: ${handling.message}` : "";
    const events: readonly Notice[] = skipped
      ? [{ type: "Normal", reason: "NodeHandlingSkipped", message }]
      : [];
    const target = refTo(kind, object);
    const behind = await readDeletionBehind(read, view);
    if (behind === undefined) return { delete: [{ target }], events, result: waitFor(awaits) };
    const rest = await deleteNext(read, behind, now);
    return {
      ...rest,
      delete: [{ target, mustEnd: true }, ...(rest.delete ?? [])],
      events: [...events, ...(rest.events ?? [])],
    };
  }
  const released = {
    patch: [
      { target: refTo(Machine, machine), operations: removeFinalizerPatch(machine, MACHINE_FINALIZER) },
    ],
    result: done,
  };
  if (handling.state !== "allowed") return released;
  return deleteNode(machine, await readNodeLeft(read, machine), { released, now });
}
