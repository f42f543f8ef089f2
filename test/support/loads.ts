import { type AnyFunction, defineFunction } from "../../shared/function/define-function.ts";
import { done } from "../../shared/function/result.ts";
import { Widget } from "./widget.ts";

const load = (name: string, queue: AnyFunction["spec"]["queue"] = {}): AnyFunction =>
  defineFunction(
    { name, summary: "Takes time.", source: "own", reconciles: Widget, watches: [], owns: [], queue },
    async () => ({ result: done }),
  );

/** How long each run of a load takes. */
export const RUN_MS = 100;
export const FREE = load("load-free");
export const CAPPED = load("load-capped", { maxRunningPerTenant: 5 });
/** Functions whose runs only take time, for tests of scaling: one of group `core` and one of `workload`. */
export const LOADS: readonly AnyFunction[] = [FREE, CAPPED];
