import { DEFAULT_QUEUE } from "../../../shared/function/backoff.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import type { Oracle } from "./oracle.ts";

/** Q-08, once more. */
const BASE_MS = 100;
const CAP_MS = 300_000;
const JITTER = 1.1;
/** Instants are in whole milliseconds. */
const TICK_MS = 1;

/** How often and how soon something is tried again: F-11. */
export const retries: readonly Oracle[] = [
  {
    number: "F-11",
    title: "delays grow to a cap while a key fails, and begin again after a success",
    needs: { faults: ["X-22", "X-23", "X-24", "X-25", "X-37"], why: "no run fails" },
    watch({ world: { ledger, kernel, functions }, violated, evaluated }) {
      /** Keys with an event since their claim: they are due at once. */
      const events = new Set<string>();
      const succeeded = new Set<string>();
      const tried = new Map<string, number>();
      const forget = (): void => {
        for (const known of [events, succeeded, tried]) known.clear();
      };
      ledger.onWipe(forget);
      ledger.onEnqueue((functionName, { key }) => {
        events.add(`${functionName} ${key}`);
        tried.delete(`${functionName} ${key}`);
      });
      ledger.onClaim((functionName, { key, failures }) => {
        const name = `${functionName} ${key}`;
        events.delete(name);
        if (succeeded.delete(name) && failures > 0)
          violated(`${name} succeeded and has ${failures} failures`);
      });
      ledger.onFailure((functionName, { key, death }) => {
        const name = `${functionName} ${key}`;
        succeeded.delete(name);
        const times = (tried.get(name) ?? 0) + 1;
        tried.set(name, death === undefined ? times : 0);
        if (times > attemptsOf(functions, functionName))
          violated(`${name} was tried ${times} times and lives`);
      });
      ledger.onFinish(({ functionName, claim, outcome, accepted }) => {
        const name = `${functionName} ${claim.key}`;
        if (!accepted) return;
        if (outcome.type === "ok") succeeded.add(name);
        const state = ledger.stateOf(functionName, claim.key);
        if (outcome.type !== "error" || state?.state !== "waiting" || state.until === undefined) return;
        evaluated();
        const delayMs = state.until.getTime() - kernel.now;
        const leastMs = Math.min(CAP_MS, BASE_MS * 2 ** claim.failures);
        const mostMs = Math.max(claim.minIntervalMs, leastMs * JITTER);
        if (delayMs > mostMs) violated(`${name} waits ${delayMs} ms after failure ${claim.failures + 1}`);
        if (delayMs < leastMs - TICK_MS && !events.has(name))
          violated(`${name} waits only ${delayMs} ms after failure ${claim.failures + 1}`);
      });
    },
  },
  {
    number: "F-11",
    title: "a server that asks for a pause gets it (KC-09)",
    needs: { faults: ["X-21"], why: "no server asks for a pause" },
    watch({ world: { network, kernel }, violated, evaluated }) {
      const pauses = new Map<string, { readonly since: number; readonly until: number }>();
      network.onArrive(({ process, server, status, retryAfter }) => {
        if ((status !== 429 && status !== 503) || retryAfter === undefined) return;
        // By its own clock, which may be wrong.
        const now = process.clock.now().getTime();
        pauses.set(`${process.name} ${server}`, {
          since: kernel.now,
          until: now + Number(retryAfter) * 1_000,
        });
      });
      network.onLeave(({ process, server, request }) => {
        const pause = pauses.get(`${process.name} ${server}`);
        if (pause === undefined || process.name.startsWith("user") || request.path.includes("watch=")) return;
        // Operations that had their turn before the answer came are on their way.
        if (kernel.now === pause.since) return;
        evaluated();
        if (process.clock.now().getTime() < pause.until - TICK_MS)
          violated(`${process.name} does not wait: ${request.method} ${request.path}`);
      });
    },
  },
];

function attemptsOf(functions: readonly AnyFunction[], name: string): number {
  const { spec } = functions.find((each) => each.spec.name === name) ?? {};
  return spec?.queue?.attempts ?? DEFAULT_QUEUE.attempts;
}
