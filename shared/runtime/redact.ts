/** What takes the place of a secret: `hmac-sha256:<16 hex>`, equal for equal secrets of one installation. */
export type Hide = (secret: string) => string;

/** What all hidden values have in common, for comparing decisions without the key of the installation. */
const MASK = "hmac-sha256:*";
const HIDDEN = /hmac-sha256:(?:[0-9a-f]{16}|\*)/g;
const ONLY_HIDDEN = /^hmac-sha256:(?:[0-9a-f]{16}|\*)$/;

const SENSITIVE =
  /token|passw(?:or)?d|secret|key|cert|authorization|cookie|credential|kubeconfig|bootstrapdata|userdata/i;
/** A field that ends like this describes a secret, it does not hold one: `dataSecretName`, `secretRef`. */
const DESCRIBES =
  /(?:name|namespace|reference|ref|kind|created|ready|expiry|date|days|seconds|ttl|size|algorithm|path|dir|type|count|format|usage)s?$/i;
/** Stay readable wherever they stand: they say which object it is, not what it holds. */
const IDENTITY = new Set(["apiVersion", "kind", "name", "namespace", "uid", "resourceVersion", "generation"]);
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
/** No Kubernetes object is deeper; a deeper one is hostile. */
const MAX_DEPTH = 100;

interface Place {
  readonly depth: number;
  /** Below a field that holds secrets. */
  readonly secret: boolean;
  /** In an object of kind Secret, or in what is written to one. */
  readonly inSecret: boolean;
  readonly field: string;
}

/**
 * A JSON value without secrets: data of Secrets, kubeconfigs, bootstrap data, values of fields that are named like
 * secrets, and what `redactText` finds in texts. managedFields and the last-applied annotation are left out. Names,
 * uids, versions and references stay, so that a step reads what it read. Applying it twice changes nothing.
 * Source: queue.md 7, reliability.md S-21.
 */
export function redact(value: unknown, hide: Hide): unknown {
  return visit(value, { depth: 0, secret: false, inSecret: false, field: "" }, hide);
}

function visit(value: unknown, place: Place, hide: Hide): unknown {
  if (typeof value === "string") return place.secret ? hidden(value, hide) : redactText(value, hide);
  if (typeof value === "number") return place.secret ? hidden(String(value), hide) : value;
  if (typeof value !== "object" || value === null) return value;
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
  // In a patch the path is the field.
  const path = Reflect.get(object, "path");
  if (field === "value" && typeof path === "string" && Object.hasOwn(object, "op")) {
    return /^\/(?:data|stringData)\//.test(path) || isSensitive(lastOf(path.split("/")));
  }
  if (field === "key" && isSelectorKey(object, place, value)) return false;
  return isSensitive(fieldOfPath(field));
}

/** The `key` of a taint, a toleration, a label requirement, or of a reference to an entry. */
function isSelectorKey(object: object, { field }: Place, value: unknown): boolean {
  return (
    typeof value === "string" &&
    (Object.hasOwn(object, "effect") || Object.hasOwn(object, "operator") || DESCRIBES.test(field))
  );
}

function isSensitive(field: string): boolean {
  return SENSITIVE.test(field) && !DESCRIBES.test(field) && !field.startsWith("x-kubernetes-");
}

/** Decisions name owned fields by path; labels and annotations have a domain in front. */
function fieldOfPath(field: string): string {
  if (field.length > 512) return field;
  const named = field.replace(/conditions\[[^\]]*\]/, "conditions").replaceAll("]", "");
  return lastOf(named.split(/[.[/]/));
}

function lastOf(parts: readonly string[]): string {
  return parts.findLast((part) => part !== "" && !/^(?:\d+|-)$/.test(part)) ?? "";
}

/** A Secret, or a write whose target is one. */
function isOfSecret(object: object): boolean {
  const target: unknown = Reflect.get(object, "target");
  return kindNameOf(object) === "Secret" || (isObject(target) && kindNameOf(target) === "Secret");
}

function kindNameOf(object: object): unknown {
  const kind: unknown = Reflect.get(object, "kind");
  return isObject(kind) ? Reflect.get(kind, "kind") : kind;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function hidden(secret: string, hide: Hide): string {
  return secret === "" || ONLY_HIDDEN.test(secret) ? secret : hide(secret);
}

const KUBECONFIG = /client-key-data|client-certificate-data|"?kind"?:\s{0,4}"?Config\b/;
const BOOTSTRAP_DATA = /^(?:#cloud-config|## template: jinja|Content-Type: multipart\/)/;
/** Keys, certificates and bundles travel like this; nothing that a step compares does. */
const BLOB = /^[A-Za-z0-9+/_-]{200,}={0,2}$/;

// Every repetition is bounded: a text of a MiB must not take quadratic time.
const PEM = /-----BEGIN [A-Z0-9 ]{1,60}-----[\s\S]*?(?:-----END [A-Z0-9 ]{1,60}-----|$)/g;
const BEARER =
  /\b(bearer\s{1,8}|authorization:\s{0,8}\w{1,16}\s{1,8})(?!hmac-sha256:)([A-Za-z0-9._~+/-]{1,8192}=*)/gi;
const JWT = /\beyJ[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]{1,4096}\.[A-Za-z0-9_-]{0,4096}/g;
const USER_INFO = /(\b[a-z][a-z0-9+.-]{0,30}:\/\/)(?!hmac-sha256:)([^\s/@]{1,1024})@/gi;
const ASSIGNED =
  /(\b(?:password|passwd|token|secret)["']?\s{0,4}(?:=\s{0,4}["']?|:\s{0,4}["']))(?!hmac-sha256:)([^\s"',;&]{1,4096})/gi;

/** A message, stack or other text without tokens, PEM blocks, user info of URLs; kubeconfigs are hidden as a whole. */
export function redactText(text: string, hide: Hide): string {
  if (text.length < 8) return text;
  if (KUBECONFIG.test(text) || BOOTSTRAP_DATA.test(text) || BLOB.test(text)) return hidden(text, hide);
  return text
    .replace(PEM, (block) => hide(block))
    .replace(BEARER, (_, before: string, token: string) => `${before}${hide(token)}`)
    .replace(JWT, (token) => hide(token))
    .replace(USER_INFO, (_, before: string, user: string) => `${before}${hide(user)}@`)
    .replace(ASSIGNED, (_, before: string, value: string) => `${before}${hide(value)}`);
}

/** The value with every hidden part replaced by the same text; secrets that are still there are hidden first. */
export function mask(value: unknown): unknown {
  return visitTexts(redact(value, () => MASK));
}

function visitTexts(value: unknown): unknown {
  if (typeof value === "string") return value.replace(HIDDEN, MASK);
  if (!isObject(value)) return value;
  if (Array.isArray(value)) return value.map(visitTexts);
  return Object.fromEntries(Object.entries(value).map(([field, member]) => [field, visitTexts(member)]));
}
