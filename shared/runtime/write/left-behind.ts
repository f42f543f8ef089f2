import type { KubeObject } from "../../api/kinds.ts";
import type { PatchOperation } from "../../api/patch.ts";
import { escapePointer, mergeKeyOf, textAt } from "../../api/path.ts";
import { canonical } from "../digest.ts";
import { FIRST_APPLY, fieldManagersAt, managedFieldsOf } from "./field-managers.ts";

/** Fields of an object in their places. */
interface Fields {
  readonly [field: string]: unknown;
}

/**
 * Returns the operations that remove what an apply of a manager has given up and the server has kept: `own` is what it has
 * written before, `body` what it has applied, `answer` the object as the apply has left it. Where the server loses the
 * managedFields of an object (kubernetes#136919), a field that is given up has no owner, or only `before-first-apply`, by
 * which the server keeps it for ever. A field that another manager owns stays: that is its claim, not a loss. The answer
 * alone shows it, so that nothing is asked or sent where nothing was lost.
 */
export function leftBehind(
  { own, body, manager }: { readonly own: Fields; readonly body: Fields; readonly manager: string },
  answer: KubeObject,
): readonly PatchOperation[] {
  const entries = managedFieldsOf(answer).filter(
    (each) => ![FIRST_APPLY, manager].includes(each.manager ?? ""),
  );
  const isHeld = (path: string): boolean => fieldManagersAt(entries, path).length > 0;
  const found = answer as object as Fields;
  const left = Object.keys(own).flatMap((name) =>
    leftAt({
      path: name,
      pointer: `/${name}`,
      own: own[name],
      wanted: body[name],
      found: found[name],
      isHeld,
    }),
  );
  // From the end, so that the places of those before stay.
  return left.toReversed().map((path) => ({ op: "remove", path }));
}

/** One place in all three; `path` as field managers are asked for. */
interface Place {
  readonly path: string;
  readonly pointer: string;
  readonly own: unknown;
  readonly wanted: unknown;
  readonly found: unknown;
  readonly isHeld: (path: string) => boolean;
}

/** Returns pointers of what is left: the place itself when all of it is. */
function leftAt(place: Place): readonly string[] {
  const { path, pointer, own, wanted, found, isHeld } = place;
  if (own === undefined || found === undefined) return [];
  const members = membersOf(place);
  if (members === undefined || members.length === 0)
    return wanted === undefined && !isHeld(path) ? [pointer] : [];
  const left = members.map(leftAt);
  const isWhole = wanted === undefined && left.every(([first], at) => first === members[at]?.pointer);
  return isWhole ? [pointer] : left.flat();
}

/** Members of what is found there; undefined for a value without. */
function membersOf({ path, pointer, own, wanted, found, isHeld }: Place): readonly Place[] | undefined {
  if (Array.isArray(found)) {
    const [before, after] = [elementsOf(own), elementsOf(wanted)];
    return found.map((element: unknown, at) => ({
      path: `${path}[${nameOf(element) ?? ""}]`,
      pointer: `${pointer}/${at}`,
      own: before.get(identityOf(element)),
      wanted: after.get(identityOf(element)),
      found: element,
      isHeld,
    }));
  }
  if (!isFields(found)) return undefined;
  return Object.keys(found).map((name) => ({
    path: `${path}[${name}]`,
    pointer: `${pointer}/${escapePointer(name)}`,
    own: isFields(own) ? own[name] : undefined,
    wanted: isFields(wanted) ? wanted[name] : undefined,
    found: found[name],
    isHeld,
  }));
}

/** Elements of a list by what makes them the same one, whatever else they say: pools have lists of thousands. */
function elementsOf(list: unknown): ReadonlyMap<string, unknown> {
  const elements: readonly unknown[] = Array.isArray(list) ? list : [];
  // Of equal ones the first counts.
  return new Map(elements.toReversed().map((element) => [identityOf(element), element]));
}

function identityOf(element: unknown): string {
  const name = nameOf(element);
  return name === undefined ? `value ${canonical(element)}` : `name ${name}`;
}

function nameOf(element: unknown): string | undefined {
  if (typeof element === "string") return element;
  return mergeKeyOf(element) ?? (textAt(element, "version") || undefined);
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
