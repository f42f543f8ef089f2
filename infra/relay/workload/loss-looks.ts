import { MINUTE } from "../../../shared/function/backoff.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";
import type { WorkloadConnection } from "./connection.ts";

/** Connections that are looked at each time; fewer are all of them. */
const AT_ONCE = 20;
/** Every connection has its turn within so many looks, which are 5 minutes. */
const LOOKS_PER_ROUND = 60;
/** The age up to which a connection is looked at each time: the relay before may still publish at a hand-over. */
const YOUNG_MS = MINUTE;

interface LookedAt {
  readonly startedAt: Date;
  readonly connection: Pick<WorkloadConnection, "relistLost">;
}

/**
 * Returns a look for data that the store has lost. A store that was wiped or has gone back as a whole shows
 * in any connection, so each look asks for some in turn, and for all of them only once one has lost something or
 * `isTypeLost` says so; what a few of them alone have lost is found when it is their turn. Never waits.
 */
export function createLossLooks(
  followed: ReadonlyMap<string, LookedAt>,
  clock: Clock,
): (isTypeLost: Promise<boolean>) => void {
  let first = 0;
  const inTurn = (): readonly LookedAt[] => {
    const all = [...followed.values()];
    const count = Math.min(all.length, Math.max(AT_ONCE, Math.ceil(all.length / LOOKS_PER_ROUND)));
    const from = all.length === 0 ? 0 : first % all.length;
    first = from + count;
    const now = clock.now().getTime();
    const isTurn = (index: number) => (index - from + all.length) % all.length < count;
    const isYoung = ({ startedAt }: LookedAt) => now - startedAt.getTime() < YOUNG_MS;
    return all.filter((each, index) => isTurn(index) || isYoung(each));
  };
  return (isTypeLost) => {
    let isKnown = false;
    const found = (isLost: boolean): void => {
      if (!isLost || isKnown) return;
      isKnown = true;
      for (const { connection } of followed.values()) void connection.relistLost();
    };
    void isTypeLost.then(found);
    for (const { connection } of inTurn()) void connection.relistLost().then(found);
  };
}
