import { type Kind, type KubeObject, MANAGEMENT } from "../../../shared/api/kinds.ts";
import { valueAt } from "../../../shared/api/path.ts";
import { TRAITS } from "../../../shared/api/traits.ts";
import type { Store } from "../../../shared/runtime/ports.ts";
import { print } from "../../platform/terminal/print.ts";
import { tableLines } from "../../platform/terminal/table.ts";

/** Returns the table at the end of `capstan up`: every object that it waits for, with phase, replicas and Nodes. */
export async function printSummary(store: Store): Promise<void> {
  const rows = (
    await Promise.all(TRAITS.map(({ kind, ready }) => (ready === undefined ? [] : rowsOf(store, kind))))
  ).flat();
  if (rows.length > 0)
    print("", ...tableLines(["KIND", "NAMESPACE", "NAME", "PHASE", "DESIRED", "NODES", "AVAILABLE"], rows));
}

async function rowsOf(store: Store, { group, kind }: Kind): Promise<readonly (readonly string[])[]> {
  const objects = await store.list({ cluster: MANAGEMENT, group, kind }, {});
  return objects.map((object) => [
    kind,
    object.metadata.namespace ?? "",
    object.metadata.name,
    text(object, "status.phase"),
    text(object, "spec.replicas"),
    nodesOf(object),
    text(object, "status.conditions[Available].status"),
  ]);
}

function nodesOf(object: KubeObject): string {
  const refs = valueAt(object, "status.nodeRefs");
  return Array.isArray(refs) ? String(refs.length) : "";
}

function text(object: KubeObject, path: string): string {
  const value = valueAt(object, path);
  return value === undefined ? "" : String(value);
}
