import type { Kind, KubeObject } from "../../../shared/api/kinds.ts";
import { KubeError } from "../../../shared/function/errors.ts";
import type { ListOptions } from "../../../shared/function/reads.ts";
import type { WatchEvent } from "../../../shared/runtime/ports.ts";
import { isAtLeast } from "../../../shared/runtime/resource-version.ts";
import type { ManagedFieldsEntry } from "../../../shared/runtime/write/field-managers.ts";
import type { ServerClient } from "../../platform/kube/verbs.ts";
import { serverVersionOf } from "../snapshot.ts";
import { checkForward, wentBack } from "./recovery.ts";

/**
 * The newest objects that a watch loop has seen. A server that was away must still have them as they were, or in a
 * version newer than all that was seen: otherwise it was restored or replaced, even when its versions are higher again
 * (KR-12).
 */
export interface LastSeen {
  /** Notes a list. Returns the version of its newest object. */
  listed(items: readonly KubeObject[]): string | undefined;
  handled(event: WatchEvent): void;
  /**
   * Returns whether a watch that resumes from version `seen` misses nothing; false when no object proves it. Throws
   * KubeError `WentBack` when the objects of the server cannot follow from those that were seen.
   *
   * A restore loses the newest writes, so one object that is still as it was seen proves all that was seen before it.
   * Objects that were seen after it must have changed since, and then the watch shows them. Asks for one object after
   * the other, newest first, with lists of one, for which the right to list is enough; mostly the first is the proof.
   */
  recognise(seen: string): Promise<boolean>;
  /**
   * Whether `recognise` has found a change that the watch has not shown: an object newer than all that was seen, or
   * gone.
   */
  readonly hasFoundNews: boolean;
}

interface Seen {
  readonly namespace: string | undefined;
  readonly name: string;
  readonly uid: string | undefined;
  readonly resourceVersion: string;
  /** RFC 3339, of its newest write; undefined where its managedFields do not say. */
  readonly writtenAt: string | undefined;
  readonly isDeleted: boolean;
}

interface LastSeenOptions {
  readonly client: Pick<ServerClient, "pages">;
  readonly kind: Kind;
  readonly selector?: ListOptions | undefined;
}

/** When all of them have changed, a list costs no more than further requests. */
const KEPT = 4;

export function createLastSeen({ client, kind, selector }: LastSeenOptions): LastSeen {
  /** Oldest first. */
  let newest: readonly Seen[] = [];
  let hasFoundNews = false;
  let isSelective = true;

  const read = async (one: Seen | undefined, seen: string): Promise<KubeObject | undefined> => {
    const named = one && { namespace: one.namespace, fieldSelector: `metadata.name=${one.name}` };
    for await (const page of client.pages(kind, { ...selector, ...named, pageItems: 1 })) {
      checkForward(seen, page.resourceVersion);
      return page.items.find(({ metadata }) => metadata.name === one?.name);
    }
    return undefined;
  };

  const isOneAsSeen = async (candidates: readonly Seen[], seen: string): Promise<boolean> => {
    // The version of the list is worth the request.
    if (candidates.length === 0) await read(undefined, seen);
    for (const one of candidates) {
      const found = await read(one, seen);
      const verdict = compare(one, found, seen);
      if (verdict !== "as seen") hasFoundNews = true;
      if (verdict !== "changed") return verdict === "as seen";
    }
    return false;
  };

  return {
    get hasFoundNews() {
      return hasFoundNews;
    },
    listed(items) {
      newest = items
        .map((item) => ({ item, resourceVersion: serverVersionOf(item) }))
        .sort(byVersion)
        .slice(-KEPT)
        .map(({ item, resourceVersion }) => seenAs(item, resourceVersion));
      return newest.at(-1)?.resourceVersion;
    },
    handled({ type, object }) {
      if (type === "BOOKMARK") return;
      const now = seenAs(object, object.metadata.resourceVersion, type === "DELETED");
      newest = [...newest.filter((one) => !isSameName(one, now)), now].sort(byVersion).slice(-KEPT);
    },
    async recognise(seen) {
      hasFoundNews = false;
      try {
        return await isOneAsSeen(isSelective ? newest.toReversed() : [], seen);
      } catch (error) {
        if (!isSelective || !refusesSelectors(error)) throw error;
        isSelective = false;
        return false;
      }
    },
  };
}

/**
 * Cluster API's in-memory workload servers know no field selector for Nodes: they answer 500 without a Status, and may be
 * well. An API server that fails sends a Status.
 */
function refusesSelectors(error: unknown): boolean {
  return error instanceof KubeError && error.status === 500 && error.reason === "NoAnswer";
}

/** A restored server may give the version of a lost write to a later one of the same object. */
function isWrittenAt({ writtenAt: seenAt }: Seen, { metadata }: KubeObject): boolean {
  const foundAt = writtenAt(metadata);
  return seenAt === undefined || foundAt === undefined || seenAt === foundAt;
}

function seenAs({ metadata }: KubeObject, resourceVersion = "0", isDeleted = false): Seen {
  const { namespace, name, uid } = metadata;
  return { namespace, name, uid, resourceVersion, writtenAt: writtenAt(metadata), isDeleted };
}

function writtenAt(metadata: KubeObject["metadata"]): string | undefined {
  const { managedFields = [] } = metadata as { readonly managedFields?: readonly ManagedFieldsEntry[] };
  return managedFields.flatMap(({ time }) => time ?? []).reduce<string | undefined>(latest, undefined);
}

function latest(left: string | undefined, right: string): string {
  return left !== undefined && left > right ? left : right;
}

function byVersion(left: Pick<Seen, "resourceVersion">, right: Pick<Seen, "resourceVersion">): number {
  return isAtLeast(left.resourceVersion, right.resourceVersion) ? 1 : -1;
}

function isSameName(left: Seen, right: Seen): boolean {
  return left.name === right.name && left.namespace === right.namespace;
}

/** Compares an object with what was seen. `changed`: the watch shows the new state. */
function compare(one: Seen, found: KubeObject | undefined, seen: string): "as seen" | "changed" | "unknown" {
  // Deleted meanwhile, or never created on a restored server.
  if (found === undefined) return one.isDeleted ? "changed" : "unknown";
  const { uid, resourceVersion = "0" } = found.metadata;
  if (!isAtLeast(seen, resourceVersion)) return "changed";
  const isSameVersion = !one.isDeleted && uid === one.uid && resourceVersion === one.resourceVersion;
  if (isSameVersion && isWrittenAt(one, found)) return "as seen";
  throw wentBack(
    `${one.name} differs from what was seen up to version ${seen}: the server may have been restored`,
  );
}
