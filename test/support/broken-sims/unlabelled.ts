import { SimMachine } from "../../../infra/playground/api/sim-machine.ts";
import { POOL_NAME_LABEL } from "../../../shared/api/indexes.ts";
import type { AnyFunction, NewObject } from "../../../shared/function/define-function.ts";

/** Makes infrastructure machines without the label of their MachinePool. */
export function unlabelled({ step }: AnyFunction): AnyFunction["step"] {
  return async (object, context) => {
    const decision = await step(object, context);
    return { ...decision, create: (decision.create ?? []).map(withoutPool) };
  };
}

function withoutPool(one: NewObject): NewObject {
  if (one.kind.kind !== SimMachine.kind) return one;
  const { metadata } = one.object;
  const { [POOL_NAME_LABEL]: _, ...labels } = metadata.labels ?? {};
  return { ...one, object: { ...one.object, metadata: { ...metadata, labels } } };
}
