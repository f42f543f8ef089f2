import type { AnyFunction } from "../../../shared/function/define-function.ts";
import { requeueAfter } from "../../../shared/function/result.ts";

const LATE_MS = 8_000;

/** Begins late with a new object, as a cloud does: others have to wait for it. */
export function slow({ step }: AnyFunction): AnyFunction["step"] {
  return async (object, context) => {
    const ageMs = context.now.getTime() - Date.parse(object.metadata.creationTimestamp ?? "");
    return ageMs < LATE_MS
      ? { result: requeueAfter(LATE_MS - ageMs, "a slow cloud") }
      : step(object, context);
  };
}
