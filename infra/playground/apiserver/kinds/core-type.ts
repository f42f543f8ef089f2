import type { Schema } from "../schema/schema.ts";
import { text } from "./core-schemas.ts";
import type { Column, ResourceType, ServedVersion } from "./registry.ts";

/** A compiled-in kind: its only version is v1, and what it does not say is as most kinds have it. */
interface CoreKind
  extends Partial<Omit<ResourceType, "versions">>,
    Partial<Omit<ServedVersion, "version" | "schema" | "columns">> {
  readonly kind: string;
  readonly plural: string;
  readonly schema: Schema;
  readonly columns?: readonly Column[];
}

/** The resource type of a compiled-in kind: namespaced, without status and generation unless it says otherwise. */
export function core(kind: CoreKind): ResourceType {
  const { schema, columns, hasStatus = false, scale, subresources, ...type } = kind;
  const { group = "", plural } = type;
  const served: ServedVersion = {
    version: "v1",
    schema: withTypeMeta(schema),
    hasStatus,
    ...(columns ? { columns } : {}),
    ...(scale ? { scale } : {}),
    ...(subresources ? { subresources } : {}),
  };
  return {
    id: `${group}/${plural}`,
    singular: kind.kind.toLowerCase(),
    listKind: `${kind.kind}List`,
    namespaced: true,
    custom: false,
    hasGeneration: false,
    storageVersion: "v1",
    ...type,
    group,
    versions: [served],
  };
}

function withTypeMeta(schema: Schema): Schema {
  const properties = { apiVersion: text, kind: text, metadata: { type: "object" }, ...schema.properties };
  return { ...schema, properties };
}
