import { type Cause, required } from "../errors/status-error.ts";
import { isJsonObject, type Json, type JsonObject, sameJson } from "../objects/json.ts";
import { type KubeObject, listAt, objectAt, textAt, withMetadata } from "../objects/kube-object.ts";
import { patternCauses } from "../schema/pattern.ts";
import { unusableRules } from "../schema/rules.ts";
import { type Schema, structuralCauses } from "../schema/schema.ts";
import { REVIEW_VERSIONS } from "./conversion-webhook.ts";
import { crdNameCauses, crdVersionCauses } from "./crd-checks.ts";
import { metadataCauses } from "./metadata.ts";
import {
  type Column,
  compareApiVersions,
  type ResourceType,
  type ScalePaths,
  type ServedVersion,
  type Strategy,
} from "./registry.ts";

/** Holds a CRD until its objects are gone. */
export const CRD_FINALIZER = "customresourcecleanup.apiextensions.k8s.io";

/** The compiled-in behaviour of CustomResourceDefinitions. */
export const customResourceDefinitionStrategy: Strategy = {
  defaults(next) {
    return { ...next, spec: withDefaults(objectAt(next, "spec")) };
  },
  prepare(next, live) {
    const { deletionTimestamp, finalizers = [] } = next.metadata;
    const isNewlyDeleted = deletionTimestamp !== undefined && live?.metadata.deletionTimestamp === undefined;
    const held = withMetadata(next, isNewlyDeleted ? { finalizers: [...finalizers, CRD_FINALIZER] } : {});
    return { ...held, status: statusOf(held, live) };
  },
  validate: (next) => [...definitionCauses(next), ...conversionCauses(next)],
  warnings(next) {
    return versionsOf(next).flatMap((version) =>
      unusableRules(schemaOf(version)).map((rule) => `${textAt(version, "name")}: not evaluated: ${rule}`),
    );
  },
};

function withDefaults(spec: JsonObject): JsonObject {
  const names = objectAt(spec, "names");
  const kind = textAt(names, "kind");
  const complete = {
    ...names,
    listKind: textAt(names, "listKind") || `${kind}List`,
    singular: textAt(names, "singular") || kind.toLowerCase(),
  };
  return { ...spec, conversion: spec["conversion"] ?? { strategy: "None" }, names: complete };
}

function statusOf(crd: KubeObject, live: KubeObject | undefined): JsonObject {
  const present = objectAt(live, "status");
  const spec = objectAt(crd, "spec");
  const storage = versionsOf(crd).find((version) => version["storage"] === true);
  const stored = [
    ...new Set([...listAt(present, "storedVersions"), ...(storage ? [textAt(storage, "name")] : [])]),
  ];
  const since = crd.metadata.creationTimestamp;
  const established: Json[] = live
    ? [...listAt(present, "conditions")]
    : [
        condition("NamesAccepted", "NoConflicts", "no conflicts found", since),
        condition("Established", "InitialNamesAccepted", "the initial names have been accepted", since),
      ];
  const isTerminating = crd.metadata.deletionTimestamp !== undefined;
  if (isTerminating && !established.some((entry) => isJsonObject(entry) && entry["type"] === "Terminating")) {
    const text = "CustomResource deletion is in progress";
    const { deletionTimestamp: since } = crd.metadata;
    established.push(condition("Terminating", "InstanceDeletionInProgress", text, since ?? ""));
  }
  return { acceptedNames: objectAt(spec, "names"), conditions: established, storedVersions: stored };
}

function condition(type: string, reason: string, message: string, lastTransitionTime: string): JsonObject {
  return { lastTransitionTime, message, reason, status: "True", type };
}

/** Returns why no API server would store a CRD of whatever valid name; for tools that judge CRDs without one. */
export function refusedDefinition(definition: Readonly<Record<string, unknown>>): readonly Cause[] {
  const crd = definition as unknown as KubeObject;
  const complete = { ...crd, spec: withDefaults(objectAt(crd, "spec")) };
  const causes = definitionCauses(complete).filter(({ field }) => field !== "metadata.name");
  return [...metadataCauses(crd.metadata as unknown as JsonObject, "subdomain"), ...causes];
}

function definitionCauses(crd: KubeObject): Cause[] {
  const spec = objectAt(crd, "spec");
  const names = objectAt(spec, "names");
  const versions = versionsOf(crd);
  const expected = `${textAt(names, "plural")}.${textAt(spec, "group")}`;
  const causes: Cause[] = [];
  const refuse = (reason: string, message: string, field: string) => causes.push({ reason, message, field });
  if (crd.metadata.name !== expected) {
    const message = `Invalid value: "${crd.metadata.name}": must be spec.names.plural+"."+spec.group`;
    refuse("FieldValueInvalid", message, "metadata.name");
  }
  for (const member of ["plural", "kind"]) {
    if (textAt(names, member) === "") refuse("FieldValueRequired", "Required value", `spec.names.${member}`);
  }
  const scope = textAt(spec, "scope");
  if (scope !== "Namespaced" && scope !== "Cluster") {
    const message = `Unsupported value: "${scope}": supported values: "Cluster", "Namespaced"`;
    refuse("FieldValueNotSupported", message, "spec.scope");
  }
  const stored = versions.filter((version) => version["storage"] === true).length;
  if (stored !== 1) {
    const message = "Invalid value: must have exactly one version marked as storage version";
    refuse("FieldValueInvalid", message, "spec.versions");
  }
  if (stored === 0) {
    const message = "Invalid value: null: must have at least one stored version";
    refuse("FieldValueInvalid", message, "status.storedVersions");
  }
  return [
    ...causes,
    ...crdNameCauses({ metadata: crd.metadata, spec }),
    ...crdVersionCauses(spec),
    ...schemaCauses(versions),
  ];
}

/** Refuses a webhook that is not named, or is asked in no version that we speak; what else is wrong with it shows later. */
function conversionCauses(crd: KubeObject): Cause[] {
  const { strategy, webhook } = objectAt(objectAt(crd, "spec"), "conversion");
  if (strategy === "None") return [];
  if (strategy !== "Webhook") {
    const message = `Unsupported value: ${JSON.stringify(strategy)}: supported values: "None", "Webhook"`;
    return [{ reason: "FieldValueNotSupported", message, field: "spec.conversion.strategy" }];
  }
  const given = isJsonObject(webhook) ? webhook : {};
  const { url, service } = objectAt(given, "clientConfig");
  const isNamed = (url === undefined) !== (service === undefined);
  const isAskable = listAt(given, "conversionReviewVersions").some((one) =>
    REVIEW_VERSIONS.includes(String(one)),
  );
  // The fields are those before v1, which the real server names, too.
  return [
    ...(isNamed ? [] : [required("spec.conversion.webhookClientConfig")]),
    ...(isAskable ? [] : [required("spec.conversion.conversionReviewVersions")]),
  ];
}

/** One schema of all versions is named by its place in the former version of CustomResourceDefinitions. */
function schemaCauses(versions: readonly JsonObject[]): Cause[] {
  const schemas = versions.map((version) => objectAt(version, "schema")["openAPIV3Schema"]);
  const [first] = schemas;
  if (isJsonObject(first) && schemas.every((schema) => sameJson(schema, first)))
    return oneSchemaCauses(first, "spec.validation.openAPIV3Schema");
  return schemas.flatMap((schema, index) => {
    const field = `spec.versions[${index}].schema.openAPIV3Schema`;
    if (isJsonObject(schema)) return oneSchemaCauses(schema, field);
    return [{ reason: "FieldValueRequired", message: "Required value: schemas are required", field }];
  });
}

function oneSchemaCauses(schema: JsonObject, field: string): Cause[] {
  return [...structuralCauses(schema, field), ...patternCauses(schema, field)];
}

function versionsOf(crd: KubeObject): JsonObject[] {
  return listAt(objectAt(crd, "spec"), "versions").filter(isJsonObject);
}

function schemaOf(version: JsonObject): Schema {
  // Checked to be structural before it is stored.
  return objectAt(objectAt(version, "schema"), "openAPIV3Schema") as unknown as Schema;
}

/** The resource type that a valid CRD defines. */
export function toResourceType(crd: KubeObject): ResourceType {
  const spec = objectAt(crd, "spec");
  const names = objectAt(spec, "names");
  const group = textAt(spec, "group");
  const plural = textAt(names, "plural");
  const versions = versionsOf(crd);
  const ordered = versions.toSorted((a, b) => compareApiVersions(textAt(a, "name"), textAt(b, "name")));
  const selectable = new Set(versions.flatMap(selectableFields));
  return {
    id: `${group}/${plural}`,
    group,
    plural,
    singular: textAt(names, "singular"),
    kind: textAt(names, "kind"),
    listKind: textAt(names, "listKind"),
    namespaced: spec["scope"] === "Namespaced",
    custom: true,
    needsVersion: true,
    plainFinalizers: true,
    hasGeneration: true,
    ...(names["shortNames"] ? { shortNames: listAt(names, "shortNames").map(String) } : {}),
    ...(names["categories"] ? { categories: listAt(names, "categories").map(String) } : {}),
    storageVersion: textAt(
      versions.find((version) => version["storage"] === true),
      "name",
    ),
    versions: ordered.map((version) =>
      toServedVersion(version, deprecationOf(version, ordered, names, group)),
    ),
    unserved: ordered
      .filter((version) => version["served"] === false)
      .map((version) => textAt(version, "name")),
    selectableFields: [...selectable],
  };
}

/** Names a newer version that is not deprecated, if there is one. */
function deprecationOf(
  version: JsonObject,
  ordered: readonly JsonObject[],
  names: JsonObject,
  group: string,
): string {
  const named = (one: JsonObject) => `${group}/${textAt(one, "name")} ${textAt(names, "kind")}`;
  const newer = ordered.slice(0, ordered.indexOf(version));
  const better = newer.find((one) => one["served"] !== false && one["deprecated"] !== true);
  return `${named(version)} is deprecated${better ? `; use ${named(better)}` : ""}`;
}

function selectableFields(version: JsonObject): string[] {
  return listAt(version, "selectableFields")
    .filter(isJsonObject)
    .map((field) => textAt(field, "jsonPath").replace(/^\./, ""));
}

function toServedVersion(version: JsonObject, deprecation: string): ServedVersion {
  const subresources = objectAt(version, "subresources");
  const columns = listAt(version, "additionalPrinterColumns");
  const name = textAt(version, "name");
  return {
    version: name,
    schema: schemaOf(version),
    hasStatus: isJsonObject(subresources["status"]),
    // The API server would refuse to store paths of another type.
    ...(isJsonObject(subresources["scale"]) ? { scale: subresources["scale"] as unknown as ScalePaths } : {}),
    ...(columns.length > 0 ? { columns: columns as unknown as readonly Column[] } : {}),
    ...(version["deprecated"] === true
      ? { deprecation: textAt(version, "deprecationWarning") || deprecation }
      : {}),
  };
}
