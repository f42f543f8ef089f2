import type { RedisConnection } from "./shards.ts";

/** The formats of data in Redis that a version of Capstan writes and reads (decision record 20). */
export interface DataFormats {
  readonly writes: number;
  readonly oldest: number;
  readonly newest: number;
}

/**
 * Says it for this version, in one number for all that Redis holds: ledger, read model, letters, history and the rest.
 * Raised by a change that an earlier version would misread: `newest` one release before `writes`.
 */
export const DATA_FORMATS: DataFormats = { writes: 1, oldest: 1, newest: 1 };

/** Hash: uid and server of the management cluster, and the format of the data; absent in those of format 1 of the beginning. */
export const OWNER = "{cap:cluster}:owner";

/** The other way out, where data cannot be read. */
export const EMPTY =
  "or stop all processes and empty this Redis (redis-cli FLUSHDB): queue and read model are rebuilt, dead letters and history are lost";

/** Throws where this version cannot read what the server holds (S-23). */
export async function refuseFormat(
  redis: RedisConnection,
  formats: DataFormats = DATA_FORMATS,
): Promise<void> {
  const noted = await redis.hget(OWNER, "format");
  const problem = noted === null ? undefined : problemOfFormat(Number(noted), formats);
  if (problem !== undefined) throw new Error(problem);
}

/** Returns why data of this format cannot be used, with the next step; undefined when they can. */
export function problemOfFormat(
  format: number,
  { oldest, newest }: DataFormats = DATA_FORMATS,
): string | undefined {
  if (format >= oldest && format <= newest) return undefined;
  const [age, next] =
    format > newest
      ? ["newer", "run the version of Capstan that wrote them"]
      : ["older", "let a version between run first, which reads both"];
  const reads = oldest === newest ? `format ${newest}` : `formats ${oldest} to ${newest}`;
  return `it holds data of the ${age} format ${format}, and this version of Capstan reads ${reads}; ${next}, ${EMPTY}`;
}
