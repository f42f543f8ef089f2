import type { Place } from "../../api/page.ts";

/** A page of the console with the names in its path. */
export type View =
  | { readonly page: "fleet" | "queue" | "letters" | "relay" | "missing" }
  | { readonly page: "cluster"; readonly namespace: string; readonly name: string }
  | { readonly page: "object"; readonly kind: string; readonly namespace: string; readonly name: string }
  | {
      readonly page: "children";
      readonly kind: string;
      readonly namespace: string;
      readonly name: string;
      /** Kind of the objects below it. */
      readonly of: string;
    }
  | { readonly page: "function"; readonly function: string }
  | { readonly page: "letter"; readonly function: string; readonly key: string };

/** Returns the view of a path; `missing` for one that the console does not have. */
export function viewOf(path: string): View {
  const [page = "", ...names] = path.split("/").slice(1).map(decoded);
  const [a, b, c, d, e] = names;
  if (names.includes(undefined)) return MISSING;
  if (names.length === 0) return PLAIN.get(page) ?? MISSING;
  if (page === "clusters" && names.length === 2 && a && b) return { page: "cluster", namespace: a, name: b };
  if (page === "objects" && names.length === 3 && a && b && c)
    return { page: "object", kind: a, namespace: b, name: c };
  if (page === "objects" && names.length === 5 && a && b && c && d === "children" && e)
    return { page: "children", kind: a, namespace: b, name: c, of: e };
  if (page === "queue" && names.length === 1 && a) return { page: "function", function: a };
  if (page === "letters" && names.length === 2 && a && b) return { page: "letter", function: a, key: b };
  return MISSING;
}
const MISSING: View = { page: "missing" };
const PLAIN: ReadonlyMap<string | undefined, View> = new Map([
  ["", { page: "fleet" }],
  ["queue", { page: "queue" }],
  ["letters", { page: "letters" }],
  ["relay", { page: "relay" }],
]);

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** Returns a path of segments, each of them percent-encoded: `/letters/machine-node/default%2Fc1%7C…`. */
export function pathOf(...segments: readonly string[]): string {
  return `/${segments.map(encoded).join("/")}`;
}

/** Lone surrogates become U+FFFD: encodeURIComponent throws on them. Browsers resolve `.` and `..`, also encoded ones. */
function encoded(segment: string): string {
  const text = encodeURIComponent(segment.toWellFormed());
  return /^\.{1,2}$/.test(text) ? `${text}%20` : text;
}

/** Returns the path of the page of a place. Data never hold a URL, so no link leads out of the console. */
export function hrefOf(place: Place): string {
  switch (place.type) {
    case "cluster":
      return pathOf("clusters", place.namespace, place.name);
    case "object":
      return pathOf("objects", place.kind, place.namespace, place.name);
    case "function":
      return pathOf("queue", place.function);
    case "letter":
      return pathOf("letters", place.function, place.key);
    case "run":
      return hrefOfRun(place);
    default:
      return place satisfies never;
  }
}

/** Returns the path of the page with the objects of one kind below another: all of them, or those in one state. */
export function hrefOfChildren(
  place: Place,
  { kind, state }: { readonly kind: string; readonly state: string },
): string {
  if (place.type !== "object" && place.type !== "cluster") return hrefOf(place);
  const { namespace, name } = place;
  const parent = place.type === "cluster" ? "Cluster" : place.kind;
  return `${pathOf("objects", parent, namespace, name, "children", kind)}?${new URLSearchParams({ state })}`;
}

/** A run is shown in the history of its object: `tenant|Kind|namespace/name` is the form of a key. */
function hrefOfRun({ key, function: name, runId }: Extract<Place, { type: "run" }>): string {
  const [, kind, object = ""] = key.split("|");
  const [namespace, objectName] = object.split("/");
  if (kind === undefined || namespace === undefined || objectName === undefined) return pathOf("queue", name);
  return `${pathOf("objects", kind, namespace, objectName)}?${new URLSearchParams({ run: runId, by: name })}`;
}

/** Returns the place of `MachinePool default/p1`; undefined for other texts. */
export function placeOfText(text: string): Place | undefined {
  const [, kind, namespace, name] = /^([A-Za-z][A-Za-z0-9]*) ([^/\s]+)\/([^/\s]+)$/.exec(text) ?? [];
  if (kind === undefined || namespace === undefined || name === undefined) return undefined;
  return kind === "Cluster"
    ? { type: "cluster", namespace, name }
    : { type: "object", kind, namespace, name };
}
