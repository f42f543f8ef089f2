import { randomUUID } from "node:crypto";
import { valueAt } from "../../../shared/api/path.ts";
import type { AnyDecision, AnyFunction } from "../../../shared/function/define-function.ts";

const NAME = "status.dataSecretName";

/** Gives the Secret a random name, which is in the status only. */
export function randomName(good: AnyFunction): AnyFunction["step"] {
  return async (object, context) => {
    const known = valueAt(object, NAME);
    const usual = `${object.metadata.name}-data`;
    if (typeof known !== "string")
      return renamed(await good.step(object, context), `${usual}-${randomUUID()}`);
    const status = { ...(valueAt(object, "status") as object), dataSecretName: usual };
    const asUsual = { ...object, status };
    return renamed(await good.step(asUsual, context), known);
  };
}

function renamed(decision: AnyDecision, name: string): AnyDecision {
  const { create = [], apply } = decision;
  const isNamed = apply?.[NAME] !== undefined;
  return {
    ...decision,
    create: create.map((one) => ({
      ...one,
      object: { ...one.object, metadata: { ...one.object.metadata, name } },
    })),
    ...(apply === undefined ? {} : { apply: isNamed ? { ...apply, [NAME]: name } : apply }),
  };
}
