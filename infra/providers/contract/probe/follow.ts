import { setTimeout as sleep } from "node:timers/promises";
import type { Kind, KubeObject } from "../../../../shared/api/kinds.ts";
import { KubeError } from "../../../../shared/function/errors.ts";
import type { Scratch } from "./scratch.ts";

/** The length of one watch; then the kind is listed again. */
const WATCH_SECONDS = 300;
/** The pause before a watch is opened again. */
const PAUSE_MS = 1_000;
const MAX_ITEMS = 1_000;

type Place = Pick<Scratch, "client" | "namespace">;

interface Following {
  /** Called with each version of an object, in their order. */
  readonly seen: (object: KubeObject) => void;
  /** Ends the watches. */
  readonly signal: AbortSignal;
}

/**
 * Watches kinds in the namespace: whatever lasts for a moment only, such as a label that a provider takes away and core
 * gives back, is in no look. Resolves once every watch is open. Throws KubeError where the server refuses one.
 */
export async function follow(place: Place, kinds: readonly Kind[], following: Following): Promise<void> {
  const opening = kinds.map(
    (kind) =>
      new Promise<void>((resolve, reject) => {
        followKind(place, { ...following, kind, opened: resolve }).then(resolve, reject);
      }),
  );
  await Promise.all(opening);
}

interface FollowedKind extends Following {
  readonly kind: Kind;
  /** Called once a watch is open. */
  readonly opened: () => void;
}

async function followKind(place: Place, followed: FollowedKind): Promise<void> {
  const { signal } = followed;
  let isOpened = false;
  const opened = (): void => {
    isOpened = true;
    followed.opened();
  };
  while (!signal.aborted) {
    try {
      await listAndWatch(place, { ...followed, opened });
    } catch (error) {
      if (signal.aborted || isOfMissingKind(error)) return;
      if (!isOpened) throw error;
    }
    await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function listAndWatch(
  { client, namespace }: Place,
  { kind, seen, signal, opened: accepted }: FollowedKind,
): Promise<void> {
  const { items, resourceVersion } = await client.list(kind, { namespace, maxItems: MAX_ITEMS });
  for (const item of items) seen(item);
  const options = { namespace, resourceVersion, timeoutSeconds: WATCH_SECONDS, accepted };
  for await (const { type, object } of client.watch(kind, options, signal)) {
    if (type === "ADDED" || type === "MODIFIED") seen(object);
  }
}

function isOfMissingKind(error: unknown): boolean {
  return error instanceof KubeError && error.reason === "TypeNotServed";
}
