import type { Kind, KubeObject, ObjectKey } from "../../../shared/api/kinds.ts";
import { KubeError } from "../../../shared/function/errors.ts";
import type { ListOptions } from "../../../shared/function/reads.ts";
import type { ServerClient } from "../../platform/kube/verbs.ts";
import type { Budget } from "./budget.ts";
import { isOversized, type ListMode } from "./recovery.ts";

export interface ListingOptions {
  readonly client: ServerClient;
  readonly kind: Kind;
  readonly selector?: ListOptions | undefined;
  readonly signal: AbortSignal;
  /** The budget for workload servers: each listed object counts as an event (KR-20). */
  readonly budget?: Budget | undefined;
  /** The version seen last: an API server that is behind must not take the read model back (KR-09). */
  readonly atLeast?: string | undefined;
  readonly consumer: {
    reduce(object: KubeObject): KubeObject;
    stored?(key: ObjectKey): Promise<KubeObject | undefined>;
  };
}

export interface Listing {
  readonly items: readonly KubeObject[];
  readonly resourceVersion: string;
  /** Set when objects were listed one by one: names the objects that were left out. */
  readonly oversized: string | undefined;
}

const SMALL_PAGE_ITEMS = 50;
/** Most names in a message. */
const MAX_NAMES = 5;

/**
 * Returns a complete list, reduced page by page; undefined when the signal has aborted. Throws KubeError. A server that
 * refuses the requested version has forgotten it, is behind, or was restored: then its newest list counts.
 */
export async function listAll(options: ListingOptions, mode: ListMode): Promise<Listing | undefined> {
  try {
    return await listPages(options, mode);
  } catch (error) {
    if (options.signal.aborted) return undefined;
    if (options.atLeast === undefined || !isVersionRefused(error)) throw error;
    return listPages({ ...options, atLeast: undefined }, mode);
  }
}

/** Returns whether the server refused a version, and not the list. */
export function isVersionRefused(error: unknown): boolean {
  if (!(error instanceof KubeError)) return false;
  if (error.causes.some(({ reason }) => reason === "ResourceVersionTooLarge")) return true;
  return [400, 410, 422].includes(error.status);
}

async function listPages(options: ListingOptions, mode: ListMode): Promise<Listing | undefined> {
  const { client, kind, selector = {}, signal, consumer, atLeast } = options;
  const oneByOne = mode === "one by one" && kind.metadataOnly === undefined;
  const metadataOnly = oneByOne || kind.metadataOnly !== undefined;
  const pageItems = mode === "small pages" ? SMALL_PAGE_ITEMS : undefined;
  let items: KubeObject[] = [];
  let resourceVersion = "";
  for await (const page of client.pages(kind, { ...selector, pageItems, metadataOnly, atLeast, signal })) {
    if (signal.aborted) return undefined;
    if (page.first) items = [];
    for (const item of page.items) items.push(oneByOne ? item : consumer.reduce(item));
    await options.budget?.spend({ bytes: page.bytes, events: page.items.length }, signal);
    ({ resourceVersion } = page);
  }
  if (!oneByOne) return { items, resourceVersion, oversized: undefined };
  return { resourceVersion, ...(await readOneByOne(options, items)) };
}

/** Returns the stored snapshots that are current, and reads the other objects one by one. */
async function readOneByOne(options: ListingOptions, listed: readonly KubeObject[]) {
  const { kind, signal, consumer } = options;
  const items: KubeObject[] = [];
  const leftOut: string[] = [];
  for (const { metadata } of listed) {
    if (signal.aborted) break;
    const { namespace = "", name, uid, resourceVersion } = metadata;
    const stored = await consumer.stored?.({ namespace, name });
    const known = stored?.metadata.uid === uid ? stored : undefined;
    const isCurrent = known?.metadata.resourceVersion === resourceVersion;
    const found = isCurrent ? known : await readOne(options, { namespace, name });
    if (found === "oversized") leftOut.push(`${namespace}/${name}`.replace(/^\//, ""));
    // An old snapshot is better than none, which would be taken for a deletion.
    const item = found === "oversized" ? known : found;
    if (item !== undefined) items.push(item);
  }
  return { items, oversized: describe(kind, leftOut) };
}

async function readOne({ client, kind, consumer }: ListingOptions, key: ObjectKey) {
  try {
    const object = await client.get(kind, key);
    return object === undefined ? undefined : consumer.reduce(object);
  } catch (error) {
    if (isOversized(error)) return "oversized";
    throw error;
  }
}

function describe(kind: Kind, leftOut: readonly string[]): string {
  const why = `answers about ${kind.plural} are larger than allowed, so they are read one by one`;
  if (leftOut.length === 0) return why;
  const names = leftOut.slice(0, MAX_NAMES).join(", ");
  const more = leftOut.length > MAX_NAMES ? ` and ${leftOut.length - MAX_NAMES} more` : "";
  return `${why}; objects that are too large to follow: ${names}${more}; make them smaller`;
}
