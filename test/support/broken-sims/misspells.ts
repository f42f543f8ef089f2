import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import { listAt, valueAt } from "../../../shared/api/path.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";

const LIST = "spec.providerIDList";
const GOOD = /^sim:/;
const BAD = /^SIM:/;

/** Lists provider IDs that differ from those of the Nodes by the case of some letters. */
export function misspells(step: AnyFunction["step"]): AnyFunction["step"] {
  return async (object, context) => {
    const decision = await step(corrected(object), context);
    const patch = decision.patch?.map((one) => ({ ...one, operations: one.operations.map(misspelt) }));
    return patch === undefined ? decision : { ...decision, patch };
  };
}

function corrected(object: KubeObject): KubeObject {
  if (valueAt(object, LIST) === undefined) return object;
  const providerIDList = listAt(object, LIST).map((id) => String(id).replace(BAD, "sim:"));
  return { ...object, ...{ spec: { ...(valueAt(object, "spec") as object), providerIDList } } };
}

function misspelt(operation: PatchOperation): PatchOperation {
  if (operation.path !== "/spec/providerIDList" || !("value" in operation)) return operation;
  const ids = operation.value as readonly string[];
  return { ...operation, value: ids.map((id) => id.replace(GOOD, "SIM:")) };
}
