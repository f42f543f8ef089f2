import { ageSince } from "../kinds/core-columns.ts";
import type { Column, ServedVersion } from "../kinds/registry.ts";
import type { Json, JsonObject } from "../objects/json.ts";
import { selectPath } from "../objects/json-path.ts";
import type { KubeObject } from "../objects/kube-object.ts";

const NAME_COLUMN: Column = {
  name: "Name",
  type: "string",
  format: "name",
  description:
    "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names",
  jsonPath: ".metadata.name",
};

const AGE_COLUMN: Column = {
  name: "Age",
  type: "date",
  description: "CreationTimestamp is a timestamp representing the server time when this object was created.",
  jsonPath: ".metadata.creationTimestamp",
};

/** Answers as a Table; `listMetadata` is that of the list, or of the one object. */
export function toTable(
  served: ServedVersion,
  objects: readonly KubeObject[],
  listMetadata: JsonObject,
  {
    includeObject,
    withColumns,
    now,
  }: { readonly includeObject: string; readonly withColumns: boolean; readonly now: Date },
): JsonObject {
  const own = served.columns ?? [AGE_COLUMN];
  const columns = own.some((column) => column.format === "name") ? own : [NAME_COLUMN, ...own];
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: listMetadata,
    columnDefinitions: withColumns ? columns.map(toDefinition) : null,
    rows: objects.map((object) => ({
      cells: columns.map((column) => cell(column, object, now)),
      object: rowObject(object, includeObject),
    })),
  };
}

export function toPartialMetadata(object: KubeObject): JsonObject {
  return { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: object.metadata };
}

function rowObject(object: KubeObject, includeObject: string): Json {
  if (includeObject === "None") return null;
  return includeObject === "Object" ? object : toPartialMetadata(object);
}

function toDefinition(column: Column): JsonObject {
  const { name, type, format = "", jsonPath, priority = 0 } = column;
  const fromPath = jsonPath ? `Custom resource definition column (in JSONPath format): ${jsonPath}` : "";
  return { name, type, format, description: column.description ?? fromPath, priority };
}

function cell(column: Column, object: KubeObject, now: Date): Json {
  if (column.value) return column.value(object, now);
  const values = selectPath(object, column.jsonPath ?? "");
  const [first] = values;
  if (first === undefined || first === null) {
    if (column.format === "name") return "";
    return column.type === "date" && Object.hasOwn(object.metadata, "name") ? "<unknown>" : null;
  }
  switch (column.type) {
    case "date":
      return ageSince(first, now);
    case "integer":
    case "number":
      return typeof first === "number" ? first : null;
    case "boolean":
      return typeof first === "boolean" ? first : null;
    default:
      return values.map(printed).join(",");
  }
}

function printed(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
