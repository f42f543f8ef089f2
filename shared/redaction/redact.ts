import { type Hide, hidden } from "./hide.ts";
import { LAST_APPLIED } from "./last-applied.ts";
import { redactText } from "./redact-text.ts";
import { describesSecret, isSensitiveName } from "./sensitive-name.ts";

/** Substitute of every secret where the key of the installation is not available or must not matter. */
const MASK = "hmac-sha256:*";
const HIDDEN = /hmac-sha256:(?:[0-9a-f]{16}|\*)/g;

/** Fields that stay readable everywhere: they identify the object and are not its content. */
const IDENTITY = new Set(["apiVersion", "kind", "name", "namespace", "uid", "resourceVersion", "generation"]);
/** Kubernetes objects are never deeper; a deeper one is hostile. */
const MAX_DEPTH = 100;

interface Place {
  readonly depth: number;
  /** Whether it is below a field that holds secrets. */
  readonly secret: boolean;
  /** Whether it is in an object of kind Secret or a list of them, or in what is written to one. */
  readonly inSecret: boolean;
  readonly field: string;
}

/**
 * Returns a JSON value without secrets: data of Secrets, kubeconfigs, bootstrap data, values of fields that are named
 * like secrets, files, commands and environments of machines, and what `redactText` finds in texts. managedFields and
 * the last-applied annotation are left out. Names, uids, versions and references stay, so that a step reads what it
 * read. Applying it twice changes nothing. Source: Q-35, S-21.
 */
export function redact(value: unknown, hide: Hide): unknown {
  return visit(value, { depth: 0, secret: false, inSecret: false, field: "" }, hide);
}

/** Returns a text without secrets, without the key of the installation: for failures, logs, Events. */
export function maskText(text: string): string {
  return redactText(text, () => MASK);
}

function visit(value: unknown, place: Place, hide: Hide): unknown {
  if (typeof value === "string") return place.secret ? hidden(value, hide) : redactText(value, hide);
  if (typeof value === "number") return place.secret ? hidden(String(value), hide) : value;
  if (!isObject(value)) return value;
  if (place.depth >= MAX_DEPTH) return "left out: nested too deeply";
  const below = { ...place, depth: place.depth + 1 };
  if (Array.isArray(value)) return value.map((element) => visit(element, below, hide));
  // fromEntries defines members: a field named __proto__ stays a field.
  return Object.fromEntries(membersOf(value, below, hide));
}

function membersOf(object: object, place: Place, hide: Hide): readonly (readonly [string, unknown])[] {
  const inSecret = place.inSecret || isOfSecret(object);
  return Object.entries(object)
    .filter(([field]) => field !== "managedFields" && field !== LAST_APPLIED)
    .map(([field, value]) => {
      if (IDENTITY.has(field) && typeof value === "string") return [field, redactText(value, hide)];
      if (field === "managers" && place.field === "metadata") return [field, value];
      const secret = place.secret || holdsSecret(field, value, { object, place, inSecret });
      return [field, visit(value, { ...place, secret, inSecret, field }, hide)];
    });
}

interface Around {
  readonly object: object;
  readonly place: Place;
  readonly inSecret: boolean;
}

function holdsSecret(field: string, value: unknown, { object, place, inSecret }: Around): boolean {
  if (field === "stringData" || (field === "data" && inSecret)) return true;
  if (field === "value") return isValueOfSecret(object);
  if (field === "key" && isSelectorKey(object, place, value)) return false;
  return segmentsOf(field).some(isSensitiveName);
}

/** The `value` of a patch, whose path is the field, or of a variable, a header, an argument with a name. */
function isValueOfSecret(object: object): boolean {
  const path: unknown = Reflect.get(object, "path");
  if (typeof path === "string" && Object.hasOwn(object, "op")) {
    return /^\/(?:data|stringData)\//.test(path) || path.split("/").some(isSensitiveName);
  }
  return typeof Reflect.get(object, "name") === "string";
}

/** The `key` of a taint, a toleration, a label requirement, or of a reference to an entry. */
function isSelectorKey(object: object, { field }: Place, value: unknown): boolean {
  return (
    typeof value === "string" &&
    (Object.hasOwn(object, "effect") || Object.hasOwn(object, "operator") || describesSecret(field))
  );
}

/** Decisions name owned fields by path; labels and annotations have a domain in front. */
function segmentsOf(field: string): readonly string[] {
  if (field.length > 512) return [field];
  const withoutDomains = field
    .replace(/conditions\[[^\]]*\]/, "conditions")
    .replace(/(^|\[)[^[\]/]*\//g, "$1");
  return withoutDomains.split(/[.[\]/]/).filter((segment) => segment !== "");
}

const SECRETS: ReadonlySet<unknown> = new Set(["Secret", "SecretList"]);

/** A Secret, a list of them, or a write whose target is one. */
function isOfSecret(object: object): boolean {
  const target: unknown = Reflect.get(object, "target");
  return SECRETS.has(kindNameOf(object)) || (isObject(target) && SECRETS.has(kindNameOf(target)));
}

function kindNameOf(object: object): unknown {
  const kind: unknown = Reflect.get(object, "kind");
  return isObject(kind) ? Reflect.get(kind, "kind") : kind;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/**
 * Returns the value with every hidden part replaced by the same text; secrets that are still there are hidden first.
 */
export function mask(value: unknown): unknown {
  return visitTexts(redact(value, () => MASK));
}

function visitTexts(value: unknown): unknown {
  if (typeof value === "string") return value.replace(HIDDEN, MASK);
  if (!isObject(value)) return value;
  if (Array.isArray(value)) return value.map(visitTexts);
  return Object.fromEntries(Object.entries(value).map(([field, member]) => [field, visitTexts(member)]));
}
