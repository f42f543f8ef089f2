import type { Oracle } from "./oracle.ts";

/** A run that plans the next one so soon, so often in a row and for nothing else, polls. */
const POLL_MS = 10_000;
const POLLS_IN_A_ROW = 20;
const LEASE_MS = 30_000;

/** Runs of keys: F-04, F-13. */
export const runs: readonly Oracle[] = [
  {
    number: "F-04",
    title: "at most one lease holder per function and key",
    watch({ world, violated, evaluated }) {
      const { ledger, kernel } = world;
      const holders = new Map<string, { readonly owner: string; readonly until: number }>();
      /** A ledger that went back knows holders which are forgotten here. */
      let wipedAt = Number.NEGATIVE_INFINITY;
      const hold = (name: string, owner: string): void => {
        holders.set(name, { owner, until: kernel.now + LEASE_MS });
      };
      ledger.onClaim((functionName, { key, owner }) => {
        const name = `${functionName} ${key}`;
        const holder = holders.get(name);
        evaluated();
        if (holder !== undefined && holder.until > kernel.now)
          violated(`${name} is held by ${holder.owner} and ${owner}`);
        hold(name, owner);
      });
      ledger.onRenew((functionName, { key, owner }) => {
        const name = `${functionName} ${key}`;
        const holder = holders.get(name);
        if (holder !== undefined && holder.owner !== owner)
          violated(`${name} is held by ${holder.owner} and renewed by ${owner}`);
        else if (holder === undefined && kernel.now > wipedAt + LEASE_MS)
          violated(`${name} is renewed by ${owner}, who does not hold it`);
        else hold(name, owner);
      });
      ledger.onFinish(({ functionName, claim, accepted }) => {
        const name = `${functionName} ${claim.key}`;
        if (holders.get(name)?.owner !== claim.owner) return;
        if (!accepted) violated(`${name} is taken from ${claim.owner} although its lease is not over`);
        holders.delete(name);
      });
      ledger.onFailure((functionName, { key }) => holders.delete(`${functionName} ${key}`));
      ledger.onWipe(() => {
        wipedAt = kernel.now;
        holders.clear();
      });
    },
  },
  {
    number: "F-13",
    title: "waiting is not failing, and no run polls",
    watch({ world, violated, evaluated }) {
      const inARow = new Map<string, number>();
      world.ledger.onFinish(({ functionName, claim, outcome }) => {
        const name = `${functionName} ${claim.key}`;
        if (outcome.type === "error" && outcome.failure.class === "Waiting") {
          violated(`${name}: ${outcome.failure.message}`);
        }
        if (outcome.type !== "ok") return;
        if (outcome.waitingFor !== undefined) evaluated();
        const polls = !outcome.requested && (outcome.afterMs ?? Infinity) < POLL_MS;
        const isAlone = claim.causes.length === 0;
        const count = polls && isAlone ? (inARow.get(name) ?? 0) + 1 : 0;
        inARow.set(name, count);
        if (count === POLLS_IN_A_ROW) violated(`${name} polls for ${outcome.waitingFor}`);
      });
    },
  },
  {
    number: "F-13",
    title: "a run that ended well does not count as one that waits for the read model",
    watch({ world: { ledger }, violated, evaluated }) {
      const ended = new Set<string>();
      ledger.onFinish(({ functionName, claim, outcome, accepted }) => {
        const name = `${functionName} ${claim.key}`;
        if (accepted && outcome.type === "ok") ended.add(name);
        else ended.delete(name);
      });
      ledger.onClaim((functionName, { key, retries: again }) => {
        const name = `${functionName} ${key}`;
        if (!ended.delete(name)) return;
        evaluated();
        if (again > 0) violated(`${name} ended well and begins with ${again} waits`);
      });
      ledger.onWipe(() => ended.clear());
    },
  },
];
