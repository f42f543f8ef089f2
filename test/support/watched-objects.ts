import { expect } from "vitest";
import type { Kind, KubeObject } from "../../shared/api/kinds.ts";
import type { KubeClient } from "../../shared/runtime/ports.ts";

/** The objects of a kind that there were, and the most at once, from now until stopped. */
export async function watchObjects<T extends KubeObject>(client: KubeClient, of: Kind<T>) {
  const kind = of as unknown as Kind;
  const abort = new AbortController();
  const { items, resourceVersion } = await client.list(kind, {});
  const present = new Set(items.map(({ metadata }) => metadata.uid));
  const seen = new Map(items.map((object) => [object.metadata.uid, object as T]));
  let most = present.size;
  const watching = (async () => {
    const options = { resourceVersion, timeoutSeconds: 3_600 };
    for await (const { type, object } of client.watch(kind, options, abort.signal)) {
      if (type === "BOOKMARK") continue;
      seen.set(object.metadata.uid, object as T);
      if (type === "DELETED") present.delete(object.metadata.uid);
      else present.add(object.metadata.uid);
      most = Math.max(most, present.size);
    }
    throw new Error(`the server has ended the watch of ${kind.plural}`);
  })().catch((error: unknown) => (abort.signal.aborted ? undefined : error));
  return {
    async stop() {
      abort.abort();
      expect(await watching).toBeUndefined();
      return { most, seen: [...seen.values()] };
    },
  };
}
