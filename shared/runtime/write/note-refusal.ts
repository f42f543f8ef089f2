import { type KubeObject, MANAGEMENT, refTo } from "../../api/kinds.ts";
import { type AnyFunction, isContractKind } from "../../function/define-function.ts";
import { isAtRest } from "../../function/guards.ts";
import { REFUSED_FIELDS, refusedPatch } from "../../rules/metadata/refused-write.ts";
import { redactMessage } from "../decide/failure.ts";
import type { Clients } from "../ports.ts";
import type { Fence } from "../queue/queue-port.ts";
import { fenceOfAnswer } from "../read/freshness.ts";
import type { Written } from "./write-decision.ts";
import { toPatch } from "./write-request.ts";

/**
 * Notes on the object what the API server has refused to its function, for the condition that says so, and takes it back
 * once a run has found nothing to wait for; one that is paused or being deleted stays as it is. Returns the fence of that
 * write. Never throws: a lost note is written by the next attempt.
 */
export async function noteRefusal(
  fn: AnyFunction,
  object: KubeObject,
  { refusal, error, again, decision }: Pick<Written, "refusal" | "error" | "again" | "decision">,
  clients: Clients,
): Promise<Fence | undefined> {
  if (!notesRefusals(fn) || isAtRest(object, undefined)) return undefined;
  const isOver = error === undefined && again === undefined && decision.result.type === "done";
  if (refusal === undefined && !isOver) return undefined;
  const message = refusal === undefined ? undefined : redactMessage(refusal);
  const operations = refusedPatch(object, fn.spec.name, message);
  if (operations.length === 0) return undefined;
  const known = refTo(fn.spec.reconciles, object);
  // Beside the function of the status a version would often be too old; without it, no map of others is replaced.
  const isSafe = object.metadata.annotations !== undefined;
  const target = isSafe ? { ...known, resourceVersion: undefined } : known;
  const { request } = toPatch({ target, operations });
  return request(clients.of(MANAGEMENT, fn.spec.name)).then(
    (answer) => fenceOfAnswer(known, answer),
    () => undefined,
  );
}

/** It declares the annotation among what it writes on the objects that it reconciles. */
function notesRefusals({ spec }: AnyFunction): boolean {
  return (spec.ownsOn ?? []).some(
    ({ kind, fields }) =>
      !isContractKind(kind) &&
      kind.kind === spec.reconciles.kind &&
      REFUSED_FIELDS.every((field) => fields.includes(field)),
  );
}
