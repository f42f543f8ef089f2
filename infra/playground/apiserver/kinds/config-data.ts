import { forbiddenField, invalidValue } from "../errors/cause.ts";
import type { Cause } from "../errors/status-error.ts";
import { type JsonObject, sameJson } from "../objects/json.ts";
import { type KubeObject, objectAt, textAt } from "../objects/kube-object.ts";
import type { Strategy } from "./registry.ts";

/* ConfigMaps and Secrets: immutable when they say so. Source: Kubernetes v1.34, pkg/apis/core/validation/validation.go */

export const configMapStrategy: Strategy = {
  defaults: (next) => ({ ...next, ...withTexts(next, "data"), ...withTexts(next, "binaryData") }),
  validate: (next, live) => immutabilityCauses(next, live, ["data", "binaryData"]),
};

export const secretStrategy: Strategy = {
  defaults(next) {
    const { stringData, data: _, ...rest } = next;
    const given = objectAt({ ...(stringData === undefined ? {} : { stringData }) }, "stringData");
    const encoded = Object.entries(given).map(([key, value]) => [
      key,
      Buffer.from(String(value ?? "")).toString("base64"),
    ]);
    const data = { ...withTexts(next, "data")["data"], ...Object.fromEntries(encoded) };
    const type = textAt(next, "type") || "Opaque";
    return { ...rest, ...(Object.keys(data).length === 0 ? {} : { data }), type } as KubeObject;
  },
  validate(next, live) {
    const type = textAt(next, "type");
    return [
      ...(live && textAt(live, "type") !== type ? [invalidValue("type", type, "field is immutable")] : []),
      ...immutabilityCauses(next, live, ["data"]),
    ];
  },
};

/** A null is an empty text. */
function withTexts(of: KubeObject, member: string): Readonly<Record<string, JsonObject>> {
  if (of[member] === undefined) return {};
  const texts = Object.entries(objectAt(of, member)).map(([key, value]) => [key, value ?? ""]);
  return { [member]: Object.fromEntries(texts) };
}

function immutabilityCauses(
  next: KubeObject,
  live: KubeObject | undefined,
  members: readonly string[],
): Cause[] {
  if (live?.["immutable"] !== true) return [];
  const changed = members.filter((member) => !sameJson(next[member], live[member]));
  const fields = [...(next["immutable"] === true ? [] : ["immutable"]), ...changed];
  return fields.map((field) => forbiddenField(field, "field is immutable when `immutable` is set"));
}
