import { messageOf } from "../../../../shared/function/errors.ts";
import { rest } from "../../../platform/rest.ts";
import { badRequest, type Cause, expired, invalid, notFound, StatusError } from "../errors/status-error.ts";
import { isJsonObject, type Json, memberOf } from "../objects/json.ts";
import { type KubeObject, keyOf, textAt } from "../objects/kube-object.ts";
import type { Answer, ApiRequest, VirtualServer } from "../request/request.ts";
import { allSoon } from "../soon.ts";
import { findLive } from "./commit.ts";
import { representEach } from "./encode.ts";
import { parseFieldSelector, parseLabelSelector } from "./selectors.ts";

const FUTURE_WAIT_MS = 3_000;
const POLL_MS = 50;

/** The number in a `resourceVersion` parameter; undefined when it is not a number. */
export function parseVersion(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

export function invalidVersionText(text: string): string {
  return `resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": invalid syntax`;
}

/** Waits until the server has reached a version. Throws StatusError 504 after 3 s. */
async function waitForVersion(server: VirtualServer, version: number): Promise<void> {
  const { clock } = server;
  const deadline = clock.now().getTime() + FUTURE_WAIT_MS;
  while (server.storage.version < version && clock.now().getTime() < deadline && !server.stopped.aborted) {
    await rest(POLL_MS, clock);
  }
  const current = server.storage.version;
  if (current >= version) return;
  const message = `Too large resource version: ${version}, current: ${current}`;
  const causes = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }];
  throw new StatusError(504, "Timeout", `Timeout: ${message}`, { causes, retryAfterSeconds: 1 });
}

/** Serves GET of one object. */
export async function get(request: ApiRequest): Promise<Answer> {
  const { server, target } = request;
  const object = await findLive(server, target, target.name ?? "");
  if (!object) throw notFound(target.type.group, target.type.plural, target.name ?? "");
  return { form: "object", code: 200, target, object };
}

interface Page {
  /** Version that the page shows; undefined is now. */
  readonly version: number | undefined;
  /** Key of the last object already shown. */
  readonly after: string;
}

/**
 * Serves GET of a collection: selectors, pages, versions. An exact version of the past is shown while history reaches
 * back, as by Kubernetes 1.34.
 */
export async function list(request: ApiRequest): Promise<Answer> {
  const { server, target, query } = request;
  const limit = wholeNumber(query.get("limit") ?? "");
  const read = readSelectors(query);
  const page = await openPage(request);
  const selects = checkSelectable(request, read);
  const version = page.version ?? server.storage.version;
  const collection = server.storage.collection(target.type.id);
  const stored = collection.scanAt(version, target.namespace, page.after);
  if (!stored) throw expiredPage(page);
  const { shown, rest } = pageOf(stored, selects, limit);
  const metadata: Record<string, Json> = { resourceVersion: String(version) };
  const last = shown.at(-1);
  if (last !== undefined && rest > 0) {
    collection.keepSnapshot(version, server.clock.now().getTime());
    metadata["continue"] = encodeContinue(version, keyOf(last.metadata));
    if (!selects.hasSelectors) metadata["remainingItemCount"] = rest;
  }
  const objects = await allSoon(representEach(target.type, target.served, shown));
  return { form: "list", target, objects, metadata };
}

/**
 * The first objects that the selectors match, `limit` of them or all when it is 0, and how many stay unseen behind
 * them, whether they match or not: as on the real server, the last page of a selection may be empty.
 */
function pageOf(stored: Iterable<KubeObject>, selects: Selector, limit: number) {
  const shown: KubeObject[] = [];
  let rest = 0;
  for (const object of stored) {
    if (limit > 0 && shown.length === limit) rest++;
    else if (selects.matches(object)) shown.push(object);
  }
  return { shown, rest };
}

function wholeNumber(text: string): number {
  if (/^[+-]?\d*$/.test(text)) return Number(text);
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}

/** The stored objects that namespace and selectors of the request match, in key order. */
export function selectObjects(request: ApiRequest): readonly KubeObject[] {
  const { server, target } = request;
  const selects = selector(request);
  const stored = server.storage.collection(target.type.id).scan(target.namespace);
  return [...stored].filter((object) => selects.matches(object));
}

/**
 * Returns the selection of objects by their labels and fields. Differs: those that a webhook converts are selected as
 * they are stored, where the real server converts all of them first.
 */
export interface Selector {
  readonly hasSelectors: boolean;
  matches(object: KubeObject): boolean;
}

/** The test of labelSelector and fieldSelector. Throws StatusError 400 for selectors that cannot be understood. */
export function selector(request: ApiRequest): Selector {
  return checkSelectable(request, readSelectors(request.query));
}

interface ReadSelectors {
  readonly labelsMatch: ReturnType<typeof parseLabelSelector>;
  readonly requirements: ReturnType<typeof parseFieldSelector>;
  readonly hasSelectors: boolean;
}

/** Reads both; whether the kind has the fields is another question, which comes later. */
function readSelectors(query: URLSearchParams): ReadSelectors {
  const labelText = query.get("labelSelector") ?? "";
  const fieldText = query.get("fieldSelector") ?? "";
  const requirements = parseFieldSelector(fieldText);
  return {
    labelsMatch: parseLabelSelector(labelText),
    requirements,
    hasSelectors: labelText !== "" || requirements.length > 0,
  };
}

/** Throws StatusError 400 for a field that objects of this kind cannot be selected by. */
function checkSelectable(
  { target }: ApiRequest,
  { labelsMatch, requirements, hasSelectors }: ReadSelectors,
): Selector {
  const allowed = ["metadata.name", "metadata.namespace", ...(target.type.selectableFields ?? [])];
  const unknown = requirements.find(({ path }) => !allowed.includes(path));
  if (unknown !== undefined) throw badRequest(`field label not supported: ${unknown.path}`);
  return {
    hasSelectors,
    matches: (object) =>
      labelsMatch(object.metadata.labels) &&
      requirements.every(({ path, op, value }) => (textOfPath(object, path) === value) === (op === "=")),
  };
}

function textOfPath(object: KubeObject, path: string): string {
  let value: Json | undefined = object;
  for (const member of path.split(".")) value = isJsonObject(value) ? memberOf(value, member) : undefined;
  return value === undefined || value === null ? "" : String(value);
}

async function openPage(request: ApiRequest): Promise<Page> {
  const { query, server } = request;
  const token = query.get("continue") ?? "";
  const asked = query.get("resourceVersion") ?? "";
  const match = query.get("resourceVersionMatch") ?? "";
  if (match !== "") checkMatch(match, asked, token);
  if (token !== "") {
    if (asked !== "" && asked !== "0") {
      throw badRequest("specifying resource version is not allowed when using continue");
    }
    return decodeContinue(token);
  }
  const version = asked === "" ? 0 : parseVersion(asked);
  // Kubernetes 1.34; only a watch answers 500 to this.
  if (version === undefined) throw badRequest(invalidVersionText(asked));
  if (version > 0) await waitForVersion(server, version);
  if (match !== "Exact") return { version: undefined, after: "" };
  return { version, after: "" };
}

function checkMatch(match: string, asked: string, token: string): void {
  const causes: Cause[] = [];
  const refuse = (message: string, reason = "FieldValueForbidden") =>
    causes.push({ reason, message, field: "resourceVersionMatch" });
  if (asked === "" && token === "") {
    refuse("Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided");
  } else if (token !== "") {
    refuse("Forbidden: resourceVersionMatch is forbidden when continue is provided");
  }
  if (match !== "Exact" && match !== "NotOlderThan") {
    refuse(
      `Unsupported value: "${match}": supported values: "Exact", "NotOlderThan", ""`,
      "FieldValueNotSupported",
    );
  }
  if (match === "Exact" && asked === "0") {
    refuse('Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
  }
  if (causes.length > 0) throw invalid("meta.k8s.io", "ListOptions", "", causes);
}

const TOKEN_VERSION = "meta.k8s.io/v1";
/** The mark of any version in a token: the pages after an expiry show whatever there is at that time. */
const ANY_VERSION = -1;

function encodeContinue(version: number, after: string): string {
  return Buffer.from(JSON.stringify({ v: TOKEN_VERSION, rv: version, start: after })).toString("base64url");
}

function decodeContinue(token: string): Page {
  try {
    const value: unknown = JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
    if (!isJsonObject(value) || value["v"] !== TOKEN_VERSION) throw new Error("unknown form");
    const version = Number(value["rv"]);
    if (!Number.isSafeInteger(version)) throw new Error("no version");
    return { version: version === ANY_VERSION ? undefined : version, after: textAt(value, "start") };
  } catch (error) {
    throw badRequest(`continue key is not valid: ${messageOf(error)}`);
  }
}

function expiredPage(page: Page): StatusError {
  if (page.after === "") return expired("The resourceVersion for the provided list is too old.");
  const message =
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";
  return new ExpiredPage(message, encodeContinue(ANY_VERSION, page.after));
}

/** 410 with the token that continues at the present version. */
class ExpiredPage extends StatusError {
  readonly #token: string;

  constructor(message: string, token: string) {
    super(410, "Expired", message);
    this.#token = token;
  }

  override toStatus(): object {
    return { ...super.toStatus(), metadata: { continue: this.#token } };
  }
}
