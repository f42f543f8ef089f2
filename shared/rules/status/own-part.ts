import { sameJson } from "../../api/path.ts";

/**
 * Returns the apply of a status that others write to as well; `own` is the part of `stored` that this function writes.
 * Left out when that part stays as it is and only what others keep in the stored one differs: compared with the snapshot
 * such an apply would be repeated in every run.
 */
export function applyOwnPart<Status>(
  stored: Status | undefined,
  own: Status,
  status: Status,
): { readonly apply?: { readonly status: Status }; readonly own?: { readonly status: Status } } {
  return sameJson(own, status) && !sameJson(own, stored) ? {} : { apply: { status }, own: { status: own } };
}
