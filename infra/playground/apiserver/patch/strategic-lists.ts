import { StatusError } from "../errors/status-error.ts";
import { canonicalJson, isJsonObject, type Json, type JsonObject, memberOf } from "../objects/json.ts";

/** The directive that says in which order the members of a list come. */
export const ORDER = "$setElementOrder/";

/** A patch of one list whose members merge by a key. */
interface ListPatch {
  /** The member that identifies a list member; `=` = the value itself. */
  readonly key: string;
  readonly items: readonly Json[];
  /** Identities in the order the client wants. */
  readonly order: readonly Json[] | undefined;
  readonly deleted: readonly Json[];
  readonly merge: (before: JsonObject, item: JsonObject) => JsonObject;
}

export function kindOf(value: Json | undefined): string {
  return Array.isArray(value) ? "list" : typeof value;
}

/** The list after the patch, in time linear in both. Throws StatusError 500 for members without identity, as the real server. */
export function mergeLists(old: readonly Json[], lists: ListPatch): Json {
  const { items, order: wanted, key } = lists;
  const kinds = new Set([...old, ...items].map(kindOf));
  if (kinds.size > 1) throw new StatusError(500, "", "list element types are not identical");
  const set = items.filter((item) => directiveOf(item) === undefined);
  if (wanted) checkOrder(ranks(key, wanted), key, set);
  if (items.some((item) => directiveOf(item) === "replace")) return set;
  const deleted = new Set(lists.deleted.map(canonicalJson));
  const left = deleted.size === 0 ? old : old.filter((item) => !deleted.has(canonicalJson(item)));
  const merged = mergeItems(key === "=" && items.length > 0 ? [...new Set(left)] : left, lists);
  // Without a wish of the client the patch's own order counts.
  return inOrder(merged, key, ranks(key, wanted ?? set), ranks(key, old));
}

function directiveOf(item: Json): Json | undefined {
  return isJsonObject(item) ? item["$patch"] : undefined;
}

function identityOf(key: string, item: Json): string {
  if (key === "=") return canonicalJson(item);
  if (!isJsonObject(item)) throw new StatusError(500, "", `expected a map, but received ${typeof item}`);
  const value = memberOf(item, key);
  if (value !== undefined) return canonicalJson(value);
  const text = `map: ${JSON.stringify(item)} does not contain declared merge key: ${key}`;
  throw new StatusError(500, "", text);
}

/** The first place of every identity in a list. */
function ranks(key: string, list: readonly Json[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [index, item] of list.entries()) {
    const identity = identityOf(key, item);
    if (!found.has(identity)) found.set(identity, index);
  }
  return found;
}

/** The client's order names everything that its patch sets, in the same order. */
function checkOrder(order: ReadonlyMap<string, number>, key: string, set: readonly Json[]): void {
  const places = set.map((item) => order.get(identityOf(key, item)) ?? -1);
  if (places.every((place, index) => place > (places[index - 1] ?? -1))) return;
  throw new StatusError(500, "", `The order in the patch list doesn't match the ${ORDER} list`);
}

function mergeItems(left: readonly Json[], { key, items, merge }: ListPatch): readonly Json[] {
  const merged: (Json | undefined)[] = [...left];
  const places = new Map<string, Places>();
  for (const [index, item] of left.entries()) placesOf(places, identityOf(key, item)).all.push(index);
  for (const item of items) {
    const place = placesOf(places, identityOf(key, item));
    const index = place.all[place.next] ?? merged.length;
    if (directiveOf(item) === "delete") {
      if (index < merged.length) merged[index] = undefined;
      place.next = Math.min(place.next + 1, place.all.length);
      continue;
    }
    if (index === merged.length) place.all.push(index);
    merged[index] = isJsonObject(item) ? merge(objectOf(merged[index]), item) : item;
  }
  return merged.filter((item) => item !== undefined);
}

function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The places of all members of one identity; a patch changes the first of those that are left. */
interface Places {
  readonly all: number[];
  next: number;
}

function placesOf(places: Map<string, Places>, identity: string): Places {
  const found = places.get(identity) ?? { all: [], next: 0 };
  places.set(identity, found);
  return found;
}

/**
 * Members the client names come in its order; the others keep their place relative to those that the server had
 * before them.
 */
function inOrder(
  merged: readonly Json[],
  key: string,
  order: ReadonlyMap<string, number>,
  old: ReadonlyMap<string, number>,
): Json {
  const known = merged.map((item) => ({ item, identity: identityOf(key, item) }));
  const rank = ({ identity }: { readonly identity: string }): number => order.get(identity) ?? -1;
  const named = known.filter((one) => rank(one) >= 0).sort((left, right) => rank(left) - rank(right));
  const others = known.filter((one) => rank(one) < 0);
  const result: Json[] = [];
  let [nextNamed, nextOther] = [0, 0];
  for (;;) {
    const theirs = named[nextNamed];
    const mine = others[nextOther];
    if (theirs === undefined || mine === undefined) break;
    const isMineFirst = comesBefore(old, mine.identity, theirs.identity);
    result.push((isMineFirst ? mine : theirs).item);
    if (isMineFirst) nextOther += 1;
    else nextNamed += 1;
  }
  const rest = [...others.slice(nextOther), ...named.slice(nextNamed)];
  return [...result, ...rest.map(({ item }) => item)];
}

function comesBefore(old: ReadonlyMap<string, number>, left: string, right: string): boolean {
  const [mine, theirs] = [old.get(left), old.get(right)];
  return mine !== undefined && theirs !== undefined && mine < theirs;
}
