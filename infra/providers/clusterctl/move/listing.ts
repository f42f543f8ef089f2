import type { Kind, KubeObject } from "../../../../shared/api/kinds.ts";
import type { Unread } from "../../../../shared/contract/rules/move/subject.ts";
import { KubeError } from "../../../../shared/function/errors.ts";
import type { ServerClient } from "../../../platform/kube/verbs.ts";

/** One management cluster of a move, only read. */
export interface Side {
  readonly client: ServerClient;
  /** `source`, `target`: for messages. */
  readonly name: string;
}

interface Wanted {
  readonly kind: Kind;
  /** The namespace; undefined: all, or the kind has none. */
  readonly namespace?: string | undefined;
  /** Whether it is listed without spec and data. */
  readonly metadataOnly?: boolean | undefined;
  readonly pageItems?: number | undefined;
}

/** More objects than this in one list are not the namespace of a management cluster. */
const MAX_ITEMS = 50_000;

/**
 * Lists objects page by page and keeps of each only what `reduce` returns. A kind that is not served has none, as for
 * clusterctl. Throws KubeError.
 */
export async function listReduced<T>(
  { client }: Side,
  { kind, ...wanted }: Wanted,
  reduce: (object: KubeObject) => T,
): Promise<readonly T[]> {
  let found: T[] = [];
  try {
    for await (const page of client.pages(kind, { ...wanted, maxItems: MAX_ITEMS })) {
      if (page.first) found = [];
      for (const object of page.items) found.push(reduce(object));
    }
  } catch (error) {
    if (error instanceof KubeError && error.reason === "TypeNotServed") return [];
    throw error;
  }
  return found;
}

/** Returns the refused list of an error of the API server; throws every other error. */
export function refusedList(error: unknown, { group, plural }: Kind): Unread {
  if (!(error instanceof KubeError) || error.status !== 403) throw error;
  return { resource: resourceOf({ group, plural }), reason: "Forbidden" };
}

/** Returns `machines.cluster.x-k8s.io`, `secrets` */
function resourceOf({ group, plural }: Pick<Kind, "group" | "plural">): string {
  return group === "" ? plural : `${plural}.${group}`;
}
