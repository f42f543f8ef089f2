import type { Kind, KubeObject } from "../../shared/api/kinds.ts";
import type { ListOptions, WatchEvent } from "../../shared/runtime/ports.ts";
import { isAtLeast } from "../../shared/runtime/resource-version.ts";
import type { ServerClient } from "../kube/verbs.ts";
import { checkForward, wentBack } from "./recovery.ts";
import { serverVersionOf } from "./snapshot.ts";

/**
 * The newest object that a watch loop has seen. A server that was away must still have it as it was, or newer than all
 * that was seen: otherwise it was restored or replaced, even when its versions are higher again (KR-12).
 */
export interface LastSeen {
  listed(items: readonly KubeObject[]): void;
  handled(event: WatchEvent): void;
  /**
   * Asks with a list of one object, for which the right to list is enough. Throws KubeError `WentBack` when what the
   * server has cannot follow from what was seen up to version `seen`. False: nothing is known to recognise it by.
   */
  recognise(seen: string): Promise<boolean>;
}

interface Newest {
  readonly namespace: string | undefined;
  readonly name: string;
  readonly uid: string | undefined;
  readonly resourceVersion: string;
}

interface LastSeenOptions {
  readonly client: Pick<ServerClient, "pages">;
  readonly kind: Kind;
  readonly selector?: ListOptions | undefined;
}

export function createLastSeen({ client, kind, selector }: LastSeenOptions): LastSeen {
  let newest: Newest | undefined;
  return {
    listed(items) {
      newest = newestOf(items);
    },
    handled({ type, object }) {
      if (type === "BOOKMARK") return;
      // By an object that is gone no server can be recognised.
      newest = type === "DELETED" ? undefined : seenAs(object, object.metadata.resourceVersion);
    },
    async recognise(seen) {
      const one = newest && { namespace: newest.namespace, fieldSelector: `metadata.name=${newest.name}` };
      for await (const page of client.pages(kind, { ...selector, ...one, pageItems: 1 })) {
        checkForward(seen, page.resourceVersion);
        if (newest === undefined) return false;
        if (isAsSeen(newest, page.items, seen)) return true;
        throw wentBack(
          `${newest.name} is not what it was at version ${seen}: the server may have been restored`,
        );
      }
      return false;
    },
  };
}

function newestOf(items: readonly KubeObject[]): Newest | undefined {
  const [first, ...others] = items.map((item) => seenAs(item, serverVersionOf(item)));
  return others.reduce(
    (newest, other) =>
      newest !== undefined && isAtLeast(newest.resourceVersion, other?.resourceVersion ?? "0")
        ? newest
        : other,
    first,
  );
}

function seenAs({ metadata }: KubeObject, resourceVersion = "0"): Newest {
  const { namespace, name, uid } = metadata;
  return { namespace, name, uid, resourceVersion };
}

/** A change between the two versions would have been seen. */
function isAsSeen(newest: Newest, items: readonly KubeObject[], seen: string): boolean {
  const found = items.find(({ metadata }) => metadata.name === newest.name)?.metadata;
  if (found?.uid !== newest.uid || found?.resourceVersion === undefined) return false;
  return found.resourceVersion === newest.resourceVersion || !isAtLeast(seen, found.resourceVersion);
}
