import type { KubeObject } from "../../api/kinds.ts";
import type { PatchOperation } from "../../api/patch.ts";
import { sameJson } from "../../api/path.ts";
import { annotationsPatch } from "../metadata/labels.ts";
import { drawNames, isMachineName, type Naming } from "./machine-names.ts";

/** The annotation on what makes Machines: a JSON list of reserved names. Absent while none is reserved. */
export const RESERVATION = "capstan.dev/machine-reservation";
/** The field that `reservedNames` reads and `reservationPatch` writes. */
export const RESERVATION_FIELDS = [`metadata.annotations[${RESERVATION}]`] as const;
/** Place of its annotation in a JSON patch. */
const RESERVATION_POINTER = `/metadata/annotations/${RESERVATION.replace("/", "~1")}`;

/** Names of one reservation. */
export const MAX_RESERVED = 100;

/** Returns the names that are reserved; a value that Capstan did not write reserves nothing. */
export function reservedNames({ metadata }: KubeObject): readonly string[] {
  const text = metadata.annotations?.[RESERVATION];
  if (text === undefined) return [];
  const names = parsed(text);
  return [...new Set(names)].slice(0, MAX_RESERVED);
}

function parsed(text: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(text);
    const list: readonly unknown[] = Array.isArray(value) ? value : [];
    return list.filter((name): name is string => typeof name === "string" && isMachineName(name));
  } catch {
    return [];
  }
}

/** Operations that make `names` the reservation of an object; none when it is right already. */
export function reservationPatch(owner: KubeObject, names: readonly string[]): readonly PatchOperation[] {
  const isAbsent = owner.metadata.annotations?.[RESERVATION] === undefined;
  if (names.length === 0) return isAbsent ? [] : [{ op: "remove", path: RESERVATION_POINTER }];
  if (!isAbsent && sameJson(reservedNames(owner), names)) return [];
  return annotationsPatch(owner, { [RESERVATION]: JSON.stringify(names) });
}

/** Operations that end a reservation whose names are all made, unless it has changed since. */
export function endOfReservation(names: readonly string[]): readonly PatchOperation[] {
  return [
    { op: "test", path: RESERVATION_POINTER, value: JSON.stringify(names) },
    { op: "remove", path: RESERVATION_POINTER },
  ];
}

/**
 * Returns further names for an object, of the version that was read live: always the same for one version, so that two
 * runs cannot reserve different ones. They avoid those that are `taken`.
 */
export function namesToReserve(
  { metadata }: KubeObject,
  naming: Naming,
  count: number,
  taken: ReadonlySet<string>,
): readonly string[] {
  const seed = `${metadata.uid ?? ""}/${metadata.resourceVersion ?? ""}`;
  return drawNames(naming, count, { seed, taken });
}
