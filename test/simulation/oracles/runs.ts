import type { Oracle } from "./oracle.ts";

/** Runs of keys: F-04, F-13. */
export const runs: readonly Oracle[] = [
  {
    number: "F-04",
    title: "at most one lease holder per function and key",
    watch({ world, violated, faultsSoFar }) {
      const holders = new Map<string, string>();
      world.ledger.onClaim((functionName, { key, owner }) => {
        const name = `${functionName} ${key}`;
        if (holders.has(name) && faultsSoFar() === 0)
          violated(`${name} is held by ${holders.get(name)} and ${owner}`);
        holders.set(name, owner);
      });
      world.ledger.onFinish(({ functionName, claim }) => {
        const name = `${functionName} ${claim.key}`;
        if (holders.get(name) === claim.owner) holders.delete(name);
      });
    },
  },
  {
    number: "F-13",
    title: "waiting is not failing",
    watch({ world, violated }) {
      world.ledger.onFinish(({ functionName, claim, outcome }) => {
        if (outcome.type === "error" && outcome.failure.class === "Waiting") {
          violated(`${functionName} ${claim.key}: ${outcome.failure.message}`);
        }
      });
    },
  },
];
