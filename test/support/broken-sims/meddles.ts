import type { AnyFunction } from "../../../shared/function/define-function.ts";

/** Takes an object of another system for its own. */
export function meddles(step: AnyFunction["step"]): AnyFunction["step"] {
  return (object, context) => {
    const { "cluster.x-k8s.io/managed-by": _, ...annotations } = object.metadata.annotations ?? {};
    return step({ ...object, metadata: { ...object.metadata, annotations } }, context);
  };
}
