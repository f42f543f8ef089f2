import { type ObjectKey, titleOf } from "../../../shared/api/kinds.ts";
import { KubeError } from "../../../shared/function/errors.ts";
import { acceptedWrites } from "../../../shared/runtime/letters/replay.ts";
import type { Clients } from "../../../shared/runtime/ports.ts";

/** Reason of a step that was not explained, because it reads what no snapshot has. */
export const NOT_READ = "NotRead";

/**
 * Clients that send nothing at all: the console explains from snapshots, for it has no right to more. A live read
 * throws a KubeError with reason NotRead that names it.
 */
export function withoutLiveReads(): Clients {
  return {
    of: () => ({
      ...acceptedWrites(),
      get: async ({ kind }, key) => notRead(kind, key),
      list: async ({ kind }) => notRead(`each ${kind}`),
      watch: ({ kind }) => notRead(`each ${kind}`),
      kinds: async (apiVersion) => notRead(`kinds of ${apiVersion}`),
    }),
  };
}

function notRead(kind: string, key?: ObjectKey): never {
  const what = key === undefined ? kind : titleOf(kind, key);
  throw new KubeError({
    class: "Transient",
    status: 0,
    reason: NOT_READ,
    message: `it depends on ${what}, which is read live and not shown here; capstan explain reads it`,
  });
}
