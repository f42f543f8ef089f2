import { parseKey } from "../../../shared/runtime/key.ts";
import type { Oracle } from "./oracle.ts";

/** Q-12, F-17. */
const STARTS_PER_READY_KEY = 4;
const STARTS_BEYOND = 100;

/** Keys among each other: F-16, F-17. */
export const isolation: readonly Oracle[] = [
  {
    number: "F-16",
    title: "one cluster holds no more workers of a function than it may",
    watch({ world: { ledger, functions }, violated, evaluated }) {
      const running = new Map<string, Set<string>>();
      ledger.onWipe(() => running.clear());
      ledger.onClaim((functionName, { key }) => {
        const { spec } = functions.find((each) => each.spec.name === functionName) ?? {};
        const most = spec?.queue?.maxRunningPerTenant;
        const tenant = parseKey(key)?.tenant;
        if (most === undefined || tenant === undefined) return;
        const name = `${functionName} ${tenant}`;
        const known = [...(running.get(name) ?? []), key];
        const still = known.filter((each) => ledger.stateOf(functionName, each)?.state === "running");
        running.set(name, new Set(still));
        if (new Set(still).size > 1) evaluated();
        if (new Set(still).size > most) violated(`${name} runs ${still.length} keys at a time`);
      });
    },
  },
  {
    number: "F-17",
    title: "a ready key is started before 4 times as many others as were ready, and 100",
    watch({ world: { ledger }, violated, evaluated }) {
      const starts = new Map<string, number>();
      const ready = new Map<string, { readonly at: number; readonly others: number }>();
      const keys = new Map<string, Set<string>>();
      ledger.onWipe(() => ready.clear());
      ledger.onEnqueue((functionName, { key, delayMs = 0 }) => {
        const known = keys.get(functionName) ?? new Set<string>();
        keys.set(functionName, known.add(key));
        const name = `${functionName} ${key}`;
        if (delayMs > 0 || ready.has(name) || ledger.stateOf(functionName, key) !== undefined) return;
        const others = [...known].filter((each) => ledger.stateOf(functionName, each)?.state === "ready");
        ready.set(name, { at: starts.get(functionName) ?? 0, others: others.length });
      });
      ledger.onClaim((functionName, { key }) => {
        const count = (starts.get(functionName) ?? 0) + 1;
        starts.set(functionName, count);
        const since = ready.get(`${functionName} ${key}`);
        if (since === undefined) return;
        ready.delete(`${functionName} ${key}`);
        if (since.others > 0) evaluated();
        const before = count - since.at;
        if (before > STARTS_PER_READY_KEY * since.others + STARTS_BEYOND)
          violated(`${functionName} ${key} was started after ${before} others`);
      });
    },
  },
];
