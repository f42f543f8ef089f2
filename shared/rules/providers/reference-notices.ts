import type { KubeObject } from "../../api/kinds.ts";
import type { Referenced } from "../../contract/referenced.ts";
import type { Notice } from "../../function/define-function.ts";

/**
 * One Warning Event per kind that an object references and that cannot be read: not installed, or without contract
 * label. A deletion does not need a kind that is gone.
 */
export function referenceNotices(
  { metadata }: KubeObject,
  providers: readonly (Referenced | undefined)[],
): readonly Notice[] {
  const isDeleting = metadata.deletionTimestamp !== undefined;
  const messages = providers.flatMap((provider) =>
    provider?.state === "unresolved" && (provider.crdExists || !isDeleting) ? [provider.message] : [],
  );
  return [...new Set(messages)].map((message) => ({
    type: "Warning",
    reason: "UnresolvedReference",
    message,
  }));
}
