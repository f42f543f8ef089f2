import type { Clock } from "../../../../shared/runtime/ports.ts";

/** Bounds of everything that one check reads of a cluster. */
const MAX_OBJECTS = 50_000;
const MAX_BYTES = 512 * 1024 * 1024;
const MAX_DURATION_MS = 5 * 60_000;

export interface Budget {
  /** Throws once the cluster has more than a check reads. */
  take(objects: number, bytes: number): void;
}

export function createBudget(clock: Clock): Budget {
  const endsAt = clock.now().getTime() + MAX_DURATION_MS;
  let objects = 0;
  let bytes = 0;
  return {
    take(moreObjects, moreBytes) {
      objects += moreObjects;
      bytes += moreBytes;
      const late = clock.now().getTime() > endsAt;
      if (objects > MAX_OBJECTS) throw tooMuch(`has more than ${MAX_OBJECTS} objects to judge`);
      if (bytes > MAX_BYTES) throw tooMuch(`sent more than ${MAX_BYTES / 1024 / 1024} MiB`);
      if (late) throw tooMuch(`has not answered everything within ${MAX_DURATION_MS / 60_000} minutes`);
    },
  };
}

function tooMuch(what: string): Error {
  return new Error(`the cluster ${what}; judge one namespace with -n`);
}
