import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { World } from "../play/world.ts";
import { parsed, placeOf } from "./sent-write.ts";

/** Reads of runs of objects whose write was not confirmed (KC-07). */
export interface Looks {
  /** Result of a run's read after its last write of the object; undefined: it has none. */
  of(runId: string, object: Pick<KubeObject, "kind" | "metadata">): KubeObject | undefined;
  forget(runId: string): void;
}

/** From now on, of every run of every worker. */
export function looksIn({ network }: World): Looks {
  /** By run, then by object. */
  const found = new Map<string, Map<string, KubeObject>>();
  /** Answers of a server that have not arrived yet. */
  const answers = new WeakMap<object, KubeObject>();
  const runOf = (headers: { readonly [name: string]: unknown }): string | undefined => {
    const runId = headers["audit-id"];
    return typeof runId === "string" ? runId : undefined;
  };
  network.witness(({ request, code, text }) => {
    const isLook = request.method === "GET" && code === 200 && runOf(request.headers) !== undefined;
    if (!isLook || (placeOf(request.path)?.name ?? "") === "") return;
    const object = parsed(text) as KubeObject | undefined;
    if (object !== undefined) answers.set(request, object);
  });
  network.onArrive(({ request }) => {
    const [object, runId] = [answers.get(request), runOf(request.headers)];
    if (object === undefined || runId === undefined) return;
    const known = found.get(runId) ?? new Map<string, KubeObject>();
    found.set(runId, known.set(nameOf(object), object));
  });
  // A read before a write says nothing about it.
  network.onLeave(({ request }) => {
    const known = request.method === "GET" ? undefined : found.get(runOf(request.headers) ?? "");
    if (known === undefined) return;
    const place = placeOf(request.path);
    // Only its body names what a request creates.
    const written = place?.name || (parsed(request.body ?? "") as KubeObject | undefined)?.metadata?.name;
    for (const [name, { metadata }] of known)
      if (metadata.name === written && (metadata.namespace ?? "") === place?.namespace) known.delete(name);
  });
  return {
    of: (runId, object) => found.get(runId)?.get(nameOf(object)),
    forget: (runId) => void found.delete(runId),
  };
}

function nameOf({ kind, metadata }: Pick<KubeObject, "kind" | "metadata">): string {
  return `${kind} ${metadata.namespace ?? ""}/${metadata.name}`;
}
