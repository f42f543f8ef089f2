import { groupVersion } from "../kinds/registry.ts";
import { toPartialMetadata, toTable } from "../rest/table.ts";
import type { JsonObject } from "../schema/schema.ts";
import type { Change, ChangeType } from "../storage/collection.ts";
import { type KubeObject, withMetadata } from "../storage/kube-object.ts";
import type { Representation } from "./negotiate.ts";
import { represent } from "./represent.ts";
import type { Answer, Target } from "./request.ts";
import { StatusError } from "./status-error.ts";

/** The JSON text of an answer in the representation that the client asked for. */
export function encodeAnswer(answer: Answer, representation: Representation, now: Date): string {
  if (answer.form === "document") return JSON.stringify(answer.body);
  if (answer.form !== "list") {
    if (representation.shape === "list metadata")
      throw notAcceptable("PartialObjectMetadataList", "not a list");
    if (representation.shape === "full") return answer.text ?? JSON.stringify(answer.object);
    return JSON.stringify(
      showObject(answer.target, answer.object, representation, { withColumns: true, now }),
    );
  }
  return encodeList(answer, representation, now);
}

function notAcceptable(asked: string, found: string): StatusError {
  const message = `you requested ${asked}, but the requested object is ${found}`;
  return new StatusError(406, "NotAcceptable", message);
}

function encodeList(
  { target, objects, metadata }: Extract<Answer, { form: "list" }>,
  { shape, includeObject }: Representation,
  now: Date,
): string {
  const { type, served } = target;
  switch (shape) {
    case "table":
      return JSON.stringify(toTable(served, objects, metadata, { includeObject, withColumns: true, now }));
    case "metadata":
      throw notAcceptable("PartialObjectMetadata", "a list");
    case "list metadata": {
      const items = objects.length === 0 ? null : objects.map(toPartialMetadata);
      return JSON.stringify({
        kind: "PartialObjectMetadataList",
        apiVersion: "meta.k8s.io/v1",
        metadata,
        items,
      });
    }
    case "full": {
      const apiVersion = groupVersion(type.group, served.version);
      return JSON.stringify({ kind: type.listKind, apiVersion, metadata, items: objects });
    }
    default:
      return shape satisfies never;
  }
}

function showObject(
  target: Target,
  object: KubeObject,
  { shape, includeObject }: Representation,
  { withColumns, now }: { readonly withColumns: boolean; readonly now: Date },
): JsonObject {
  if (shape === "metadata" || shape === "list metadata") return toPartialMetadata(object);
  if (shape === "full") return object;
  const metadata = { resourceVersion: object.metadata.resourceVersion };
  return toTable(target.served, [object], metadata, { includeObject, withColumns, now });
}

/** One line of a watch for an object outside a change, such as an initial ADDED. */
export function encodeEvent(
  target: Target,
  type: ChangeType | "BOOKMARK",
  object: KubeObject,
  { representation, withColumns, now }: { representation: Representation; withColumns: boolean; now: Date },
): string {
  const shown = showObject(target, object, representation, { withColumns, now });
  return `{"type":"${type}","object":${JSON.stringify(shown)}}\n`;
}

/**
 * The watch line of a change, made once for all watches that want the same one.
 * `as` differs from the change's own type when a selector began or ceased to match.
 */
export function encodeChange(
  target: Target,
  change: Change,
  as: ChangeType,
  { representation, withColumns, now }: { representation: Representation; withColumns: boolean; now: Date },
): string {
  const { shape, includeObject } = representation;
  const { type, served } = target;
  const key = `${as} ${served.version} ${shape} ${includeObject} ${withColumns}`;
  const known = change.lines.get(key);
  if (known !== undefined) return known;
  const line = makeLine();
  change.lines.set(key, line);
  return line;

  function makeLine(): string {
    const leftSelection = as === "DELETED" && change.type !== "DELETED";
    const stored = leftSelection ? lastSelected(change) : change.object;
    const isText = shape === "full" && served.version === type.storageVersion && !leftSelection;
    if (isText && represent(type, served, stored) === stored)
      return `{"type":"${as}","object":${change.text}}\n`;
    return encodeEvent(target, as, represent(type, served, stored), { representation, withColumns, now });
  }
}

/** The old content with the new version. */
function lastSelected(change: Change): KubeObject {
  return withMetadata(change.previous ?? change.object, { resourceVersion: String(change.version) });
}
