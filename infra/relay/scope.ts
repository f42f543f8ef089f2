import { Namespace } from "../../shared/api/core.ts";
import type { Kind } from "../../shared/api/kinds.ts";
import { SECOND } from "../../shared/function/backoff.ts";
import type { ListOptions } from "../../shared/function/reads.ts";
import { canonical } from "../../shared/runtime/digest.ts";
import type { Clock, KubeClient } from "../../shared/runtime/ports.ts";

/** Raised when snapshots of an unchanged kind become different: snapshots of an earlier relay are then listed again. */
const SNAPSHOT_FORMAT = 1;

interface ScopeOptions {
  readonly kind: Kind;
  readonly selector?: ListOptions | undefined;
  /** Fields of the kind that are kept beside those of every snapshot. */
  readonly kept: readonly string[];
  /** Objects of others are not kept, although the watch shows them. */
  readonly namespaces?: readonly string[] | undefined;
}

/** How long the answer of a server about its identity is kept. */
const IDENTITY_MS = 5 * SECOND;

/**
 * Returns the scope of the snapshots of a type. A relay resumes from the version that another one stored only when both
 * watch the same server, with the same selector, and keep the same fields. `server`: a uid that names it.
 */
export function scopeOf(server: string, { kind, selector, kept, namespaces }: ScopeOptions): string {
  return canonical({ format: SNAPSHOT_FORMAT, server, version: kind.version, selector, kept, namespaces });
}

/**
 * Returns a reader of the uid of Namespace kube-system, which distinguishes a server from its replacement (KR-12); it
 * is undefined where it may not be read. Lists in a row share one request.
 */
export function createIdentity(client: KubeClient, clock: Clock): () => Promise<string | undefined> {
  let askedAt = Number.NEGATIVE_INFINITY;
  let answer: Promise<string | undefined>;
  const ask = async () => {
    const found = await client.get(Namespace, { namespace: "", name: "kube-system" }).catch(() => undefined);
    return found?.metadata.uid;
  };
  return () => {
    const now = clock.now().getTime();
    if (now - askedAt >= IDENTITY_MS) {
      askedAt = now;
      answer = ask();
    }
    return answer;
  };
}
