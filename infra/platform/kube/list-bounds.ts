import { MINUTE } from "../../../shared/function/backoff.ts";
import type { KubeError } from "../../../shared/function/errors.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";
import { type RequestSubject, undecodable } from "./errors.ts";

/** Long work yields the event loop after this time (KR-20). */
const SLICE_MS = 20;

/**
 * Returns a function to call between two pieces of work: it waits for the next turn of the event loop at the end of a
 * slice.
 */
export function createTimeSlices(clock: Clock): () => Promise<void> | undefined {
  const next = () => clock.now().getTime() + SLICE_MS;
  let endsAt = next();
  return () => {
    if (clock.now().getTime() < endsAt) return undefined;
    return new Promise<void>((resolve) => clock.after(0, resolve)).then(() => {
      endsAt = next();
    });
  };
}

interface ListBounds {
  /** Checks each page as it arrives. Throws KubeError `TooLarge`. */
  check(page: { readonly items: number; readonly first: boolean; readonly token: string }): void;
}

/** Far beyond the largest fleet. */
const MAX_OBJECTS = 200_000;
const MAX_PAGES = 10_000;
/** A page with a continuation has items, except in a race with deletions. */
const MAX_EMPTY_PAGES = 10;
/** A continuation expires after 5 minutes, and then the whole list is requested at once. */
const MAX_RESTARTS = 3;
/** Includes the pauses in which a workload server exceeds its budget. */
const MAX_DURATION_MS = 20 * MINUTE;

/** Bounds one list: a list without end must neither fill this process nor stay unnoticed (KR-20). */
export function createListBounds(
  subject: RequestSubject,
  clock: Clock,
  maxObjects: number = MAX_OBJECTS,
): ListBounds {
  const beganAt = clock.now().getTime();
  let objects = 0;
  let pages = 0;
  let empty = 0;
  let restarts = -1;
  return {
    check({ items, first, token }) {
      pages += 1;
      objects = first ? items : objects + items;
      empty = items === 0 && token !== "" ? empty + 1 : 0;
      restarts += first ? 1 : 0;
      checkCount(objects, subject, maxObjects);
      const isLate = clock.now().getTime() - beganAt > MAX_DURATION_MS;
      if (pages > MAX_PAGES) throw endless(`has more than ${MAX_PAGES} pages`);
      if (empty > MAX_EMPTY_PAGES) throw endless(`continues after ${MAX_EMPTY_PAGES} pages without an item`);
      if (restarts > MAX_RESTARTS) throw endless(`has expired ${restarts} times before its end`);
      if (isLate) throw endless(`has not ended within ${MAX_DURATION_MS / MINUTE} minutes`);
    },
  };

  function endless(what: string): KubeError {
    return undecodable(subject, `the list ${what}`, "TooLarge");
  }
}

/** Throws KubeError `TooLarge` for more objects than one list may have. */
export function checkCount(objects: number, subject: RequestSubject, maxObjects: number = MAX_OBJECTS): void {
  if (objects <= maxObjects) return;
  throw undecodable(subject, `the list has more than ${maxObjects} objects`, "TooLarge");
}
