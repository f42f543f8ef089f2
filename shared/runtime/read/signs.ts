import { Connection } from "../../api/core.ts";
import { MANAGEMENT } from "../../api/kinds.ts";
import { SECOND } from "../../function/backoff.ts";
import type { SignedType, Store, TypeKey } from "../ports.ts";

/** A relay notes its watches so often. */
export const SIGN_EVERY_MS = 2 * SECOND;
/** A watch without a sign for longer than this is silent. A leader that has ended is replaced within this time. */
const SILENT_MS = 30 * SECOND;

export function signOf({ group, kind }: SignedType): string {
  return `${group}/${kind}`;
}

/** The read model shows nothing newer than this. */
export interface Silence {
  /** The types by `signOf`; absent: every watch of the management cluster, and so everything. */
  readonly types?: ReadonlySet<string>;
  /** The time of the last sign, RFC 3339; absent: there is none. */
  readonly since?: string;
  /** The watch that is silent, since when, then `; ` and the next step. Does not change while the silence lasts. */
  readonly message: string;
}

/** How old the read model is: of all that is computed from it, this is the one place that says so. */
export interface Freshness {
  /** The worst first; empty: everything is current. */
  readonly silences: readonly Silence[];
  /** Returns what makes snapshots of a type old; undefined: they are current. */
  silenceOf(type: TypeKey): Silence | undefined;
}

/** Where nothing feeds the read model but this process itself, which reads live. */
export const CURRENT: Freshness = { silences: [], silenceOf: () => undefined };

/** Reads it from the signs of life of the watches, not from changes: a quiet cluster is as current as a busy one. */
export async function readFreshness({ signs }: Pick<Store, "signs">, now: Date): Promise<Freshness> {
  const seen = await signs.read(now);
  return seen === undefined ? CURRENT : freshnessOf(seen, now);
}

const WORKLOADS = signOf(Connection);

function freshnessOf(seen: ReadonlyMap<string, Date>, now: Date): Freshness {
  const isSilent = (at: Date): boolean => now.getTime() - at.getTime() > SILENT_MS;
  const watches = [...seen].filter(([type]) => type !== WORKLOADS);
  const newest = watches.reduce<Date | undefined>(
    (last, [, at]) => (last === undefined || at > last ? at : last),
    undefined,
  );
  if (newest === undefined || isSilent(newest)) {
    const workloads = seen.get(WORKLOADS);
    const all = silenceOfAll(newest, workloads !== undefined && !isSilent(workloads));
    return { silences: [all], silenceOf: () => all };
  }
  const byType = new Map(
    [...seen].filter(([, at]) => isSilent(at)).map((one) => [one[0], silenceOfType(one)]),
  );
  return {
    silences: [...byType.values()].toSorted((a, b) => ((a.since ?? "") < (b.since ?? "") ? -1 : 1)),
    // Whatever is read from workload clusters comes by relays, and so do the Connections to them.
    silenceOf: (type) => byType.get(type.cluster === MANAGEMENT ? signOf(type) : WORKLOADS),
  };
}

function silenceOfAll(newest: Date | undefined, isRelayThere: boolean): Silence {
  if (newest === undefined) return silence({ what: "no relay has given a sign of life", next: START });
  const since = newest.toISOString();
  if (!isRelayThere) return silence({ since, what: `relay away since ${since}`, next: START });
  const next = `look whether its API server answers, and ${START} if none watches it`;
  return silence({ since, what: `no relay hears the management cluster since ${since}`, next });
}
const START = "start a relay";

function silenceOfType([type, at]: readonly [string, Date]): Silence {
  const since = at.toISOString();
  const types = new Set([type]);
  if (type === WORKLOADS) {
    const what = `no relay follows the workload clusters since ${since}`;
    return silence({ types, since, what, next: `${START} that connects to them` });
  }
  const [group = "", kind = ""] = type.split("/");
  const what = `the watch of ${kind} (${group}) is silent since ${since}`;
  const next = "the log of the relay says why, and capstan rbac prints the rights that it needs";
  return silence({ types, since, what, next });
}

function silence({
  what,
  next,
  ...parts
}: Pick<Silence, "types" | "since"> & { readonly what: string; readonly next: string }): Silence {
  return { ...parts, message: `${what}: ${NOT_NEWER}; ${next}` };
}
const NOT_NEWER = "nothing below is newer";

/** Returns the freshness of a reader that reads these types live, where it may, and others from this read model. */
export function freshnessBeside(live: readonly SignedType[], { silences, silenceOf }: Freshness): Freshness {
  const types = new Set(live.map(signOf));
  const reported = new Map(
    silences.map((one) => [
      one,
      { ...one, message: one.message.replace(NOT_NEWER, `${NOT_NEWER}, but for what is read live`) },
    ]),
  );
  return {
    silences: [...reported.values()],
    silenceOf: (type) => {
      const found = type.cluster === MANAGEMENT && types.has(signOf(type)) ? undefined : silenceOf(type);
      return found && reported.get(found);
    },
  };
}
