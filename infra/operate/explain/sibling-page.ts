import type { Kind, KubeObject } from "../../../shared/api/kinds.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import type { Store } from "../../../shared/runtime/ports.ts";
import { checkPageLimit, type PageSelection, pageOf } from "../../platform/cursor.ts";
import { factsOf } from "./object-facts.ts";
import { belonging, shownKinds } from "./object-tree.ts";
import { isReady, type LeftOut, type Ranked, worstFirst } from "./siblings.ts";

const MAX_PAGE = 200;

/** A selection of siblings; `limit`: 1 to 200. */
export interface SiblingSelection extends PageSelection {
  /** `Machine`. */
  readonly kind: string;
  readonly state?: LeftOut["state"] | undefined;
}

export interface SiblingPage {
  readonly items: readonly Sibling[];
  /** The cursor of the next page, opaque; absent on the last one. */
  readonly next?: string;
}

/** An object that a tree counts only. */
interface Sibling {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly phase?: string;
  /** Its first bad condition, in words. */
  readonly problem?: string;
  readonly isReady: boolean;
}

/**
 * Returns a page of the objects of one kind below an object, worst first: what a tree leaves out, and what it shows.
 * Throws a TypeError for a kind that trees do not show, a limit out of range and a foreign cursor.
 */
export async function siblingsOf(
  { store, functions }: { readonly store: Store; readonly functions: readonly AnyFunction[] },
  parent: { readonly kind: Kind; readonly object: KubeObject },
  { kind: name, state, limit, after }: SiblingSelection,
): Promise<SiblingPage> {
  checkPageLimit(limit, MAX_PAGE);
  const kinds = shownKinds(functions);
  const kind = kinds.find((one) => one.kind === name);
  if (kind === undefined)
    throw new TypeError(
      `no tree shows objects of kind "${name}"; there are ${kinds.map((one) => one.kind).join(", ")}`,
    );
  const wanted = worstFirst(await belonging(store, kind, parent)).filter(
    (one) => state === undefined || isReady(one) === (state === "ready"),
  );
  const { items, ...rest } = pageOf(wanted, (one) => one, { limit, after });
  return { ...rest, items: items.map((one) => siblingOf(kind, one)) };
}

function siblingOf(kind: Kind, ranked: Ranked): Sibling {
  const { namespace = "", name } = ranked.object.metadata;
  const key = { namespace, name };
  const { phase, conditions } = factsOf({ kind, key, object: ranked.object, children: [], more: [] });
  const [first] = conditions;
  const problem =
    first && `${first.type} ${first.status}: ${first.message || first.reason}`.slice(0, MAX_CHARS);
  return {
    kind: kind.kind,
    ...key,
    ...(phase === undefined ? {} : { phase }),
    ...(problem === undefined ? {} : { problem }),
    isReady: isReady(ranked),
  };
}
const MAX_CHARS = 300;
