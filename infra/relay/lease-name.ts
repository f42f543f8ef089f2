import { createHash } from "node:crypto";
import type { ObjectKey } from "../../shared/api/kinds.ts";

/**
 * Returns the Lease of the processes with this name that share one scope. Processes of other scopes lead beside them,
 * so names that look alike get a digest of their scope.
 */
export function leaseKey(namespace: string, name: string, scope: readonly string[] = []): ObjectKey {
  const plain = [name, ...scope].join("-").toLowerCase();
  const readable = plain.replaceAll(/[^a-z0-9.-]/g, "-").slice(0, MAX_READABLE_CHARS);
  const isUnique = scope.length === 0 || (scope.length === 1 && readable === `${name}-${scope[0]}`);
  if (isUnique) return { namespace, name: readable };
  const digest = createHash("sha256").update(JSON.stringify(scope)).digest("hex").slice(0, DIGEST_CHARS);
  return { namespace, name: `${readable}-${digest}` };
}

/** A name has 253 characters at most, and a digest may follow. */
const MAX_READABLE_CHARS = 200;
const DIGEST_CHARS = 10;
