import { CONTROL_PLANE_LABEL } from "../../../shared/api/indexes.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { valueAt } from "../../../shared/api/path.ts";
import type { AnyDecision, AnyFunction } from "../../../shared/function/define-function.ts";
import type { Reader } from "../../../shared/function/reads.ts";

/**
 * Makes every Machine of a control plane in one failure domain and with a value in its label, never says whether it is
 * up to date, and keeps the labels of the template to itself.
 */
export function careless(good: AnyFunction): AnyFunction["step"] {
  return async (object, { read, now }) => {
    const context = { now, read: { ...flattered(read), live: flattered(read.live) } };
    return spoilt(await good.step(withoutLabels(object), context));
  };
}

/** The good function finds nothing to mend. */
function flattered<R extends Pick<Reader, "list">>(read: R): R {
  const list: Reader["list"] = async (kind, ...options) => {
    const found = await read.list(kind, ...options);
    return kind.kind === Machine.kind ? found.map(asItShouldBe) : found;
  };
  return { ...read, list };
}

const UP_TO_DATE = {
  type: "UpToDate",
  status: "True",
  reason: "UpToDate",
  message: "",
  lastTransitionTime: "2026-01-01T00:00:00Z",
};

function asItShouldBe<T extends KubeObject>(machine: T): T {
  const status = (valueAt(machine, "status") ?? {}) as object;
  const conditions = (valueAt(machine, "status.conditions") ?? []) as readonly object[];
  return {
    ...labelled(machine, ""),
    status: { ...status, conditions: [...conditions, UP_TO_DATE] },
  };
}

function labelled<T extends KubeObject>(machine: T, value: string): T {
  const { metadata } = machine;
  return {
    ...machine,
    metadata: { ...metadata, labels: { ...metadata.labels, [CONTROL_PLANE_LABEL]: value } },
  };
}

function withoutLabels(object: KubeObject): KubeObject {
  const spec = valueAt(object, "spec") as { readonly machineTemplate?: object };
  return { ...object, ...{ spec: { ...spec, machineTemplate: { ...spec.machineTemplate, metadata: {} } } } };
}

function spoilt(decision: AnyDecision): AnyDecision {
  return {
    ...decision,
    create: (decision.create ?? []).map((one) => {
      if (one.kind.kind !== Machine.kind) return one;
      const spec = { ...Reflect.get(one.object, "spec"), failureDomain: "a" };
      return { ...one, object: { ...labelled(one.object as KubeObject, "yes"), spec } };
    }),
  };
}
