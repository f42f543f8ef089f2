import { type Cause, invalid, invalidValue, MAX_CAUSES } from "../errors/status-error.ts";
import { finalizerDomainCauses, metadataCauses, metadataWarnings } from "../kinds/metadata.ts";
import type { ScalePaths } from "../kinds/registry.ts";
import { isInteger, isJsonObject, isNumber, type Json, type JsonObject } from "../objects/json.ts";
import { type KubeObject, omit, sameContent } from "../objects/kube-object.ts";
import type { ApiRequest, Target } from "../request/request.ts";
import { hasRules, ruleCauses } from "../schema/rules.ts";
import { validate } from "../schema/validate.ts";

const MAX_REPLICAS = 2 ** 31 - 1;

/**
 * The parts that this endpoint may change: `status` only through `/status`, everything else only beside it.
 * Compiled-in kinds take metadata through both.
 */
export function restrictToEndpoint(
  target: Target,
  live: KubeObject | undefined,
  next: KubeObject,
): KubeObject {
  if (!target.served.hasStatus || (!live && target.type.statusOnCreate)) return next;
  if (target.subresource === "status" && live) {
    const managedFields = next.metadata.managedFields ?? live.metadata.managedFields;
    const rest = omit(live, "status");
    const status = next["status"];
    const metadata = target.type.custom ? live.metadata : next.metadata;
    return {
      ...rest,
      ...(status === undefined ? {} : { status }),
      metadata: { ...metadata, ...(managedFields ? { managedFields } : {}) },
    };
  }
  const status = live?.["status"];
  const rest = omit(next, "status");
  return status === undefined ? rest : { ...rest, status };
}

/** Rules rely on what the schema says, so these problems keep them from running. */
const BLOCKING: ReadonlySet<string> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

const RULES_UNCHECKED: Cause = {
  reason: "FieldValueInvalid",
  message:
    "Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
  field: "<nil>",
};

/** Fills what the server fills, then validates. Throws StatusError 422 with every cause, `found` included. */
export function admit(
  request: ApiRequest,
  live: KubeObject | undefined,
  next: KubeObject,
  found: readonly Cause[] = [],
): KubeObject {
  const { type, served } = request.target;
  const object = type.strategy?.prepare?.(next, live, request.target.subresource) ?? next;
  const causes = [...found, ...contentCauses(request.target, object, live)];
  if (causes.length > MAX_CAUSES || causes.some(({ reason }) => BLOCKING.has(reason))) {
    if (hasRules(served.schema)) causes.push(RULES_UNCHECKED);
  } else causes.push(...ruleCauses(served.schema, object, live));
  if (causes.length > 0) throw invalid(type.group, type.kind, object.metadata.name, causes);
  const warnings = type.custom ? metadataWarnings(object.metadata, live?.metadata) : [];
  for (const warning of warnings) request.warnings.push(warning);
  request.warnings.push(...(type.strategy?.warnings?.(object) ?? []));
  return live ? withGeneration(request.target, live, object) : object;
}

function contentCauses({ type, served }: Target, object: KubeObject, live: KubeObject | undefined): Cause[] {
  const { finalizers = [] } = object.metadata;
  return [
    ...metadataCauses(object.metadata, type.nameForm ?? "subdomain"),
    ...(type.plainFinalizers ? [] : finalizerDomainCauses(finalizers, "metadata.finalizers")),
    ...(type.strategy?.validate ? [] : validate(served.schema, object, live)),
    ...(type.custom && served.scale ? scaleCauses(served.scale, object) : []),
    ...(type.strategy?.validate?.(object, live) ?? []),
  ];
}

/** Adds 1 to generation when anything outside metadata and status changed. */
function withGeneration({ type, served }: Target, live: KubeObject, next: KubeObject): KubeObject {
  const { generation } = live.metadata;
  if (!type.hasGeneration || generation === undefined) return next;
  if (sameContent(live, next, served.hasStatus ? ["status"] : [])) return next;
  return { ...next, metadata: { ...next.metadata, generation: generation + 1 } };
}

/**
 * Returns the values that `/scale` could not read or would refuse in a custom resource: counts that are not
 * whole numbers from 0 to 2,147,483,647, a selector that is not a text. The fields are the paths as the
 * CustomResourceDefinition writes them.
 */
function scaleCauses(paths: ScalePaths, object: JsonObject): Cause[] {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = paths;
  return [
    ...countCauses(specReplicasPath, valueAt(object, specReplicasPath)),
    ...countCauses(statusReplicasPath, valueAt(object, statusReplicasPath)),
    ...(labelSelectorPath === undefined
      ? []
      : textCauses(labelSelectorPath, valueAt(object, labelSelectorPath))),
  ];
}

/** Returns undefined when it is not there; a parent of the wrong type stands for a value of the wrong type. */
function valueAt(object: JsonObject, path: string): Json | undefined {
  let value: Json = object;
  for (const member of path.split(".").filter((part) => part !== "")) {
    if (value === null) return undefined;
    if (!isJsonObject(value)) return value === undefined ? undefined : false;
    if (!Object.hasOwn(value, member)) return undefined;
    value = value[member] as Json;
  }
  return value;
}

function countCauses(field: string, value: Json | undefined): Cause[] {
  if (value === undefined) return [];
  if (!isNumber(value) || !isInteger(value)) {
    return [invalidValue(field, 0, `${field} accessor error: ${JSON.stringify(value)} is not an int64`)];
  }
  const count = Number(value);
  if (count < 0) return [invalidValue(field, value, "should be a non-negative integer")];
  return count > MAX_REPLICAS
    ? [invalidValue(field, value, `should be less than or equal to ${MAX_REPLICAS}`)]
    : [];
}

function textCauses(field: string, value: Json | undefined): Cause[] {
  if (value === undefined || typeof value === "string") return [];
  return [invalidValue(field, "", `${field} accessor error: ${JSON.stringify(value)} is not a string`)];
}
