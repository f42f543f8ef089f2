import type { AnyDecision } from "../../../shared/function/define-function.ts";
import { parseKey } from "../../../shared/runtime/queue/key.ts";
import type { Lease, Outcome, Queue } from "../../../shared/runtime/queue/queue-port.ts";
import { type Defect, patched, stepping } from "./defect.ts";

/** How a worker runs what it has claimed. */
export const runDefects: readonly Defect[] = [
  {
    number: "D-01",
    title: "a run is acknowledged before it writes",
    target: { workload: "W-01", faults: ["X-22"] },
    patch() {
      const waiting = new Map<string, (decision: AnyDecision) => void>();
      return {
        function: (fn) =>
          stepping(fn, async (object, context) => {
            const decision = await fn.step(object, context);
            const { namespace = "", name } = object.metadata;
            waiting.get(`${fn.spec.name} ${namespace}/${name}`)?.(decision);
            return decision;
          }),
        queue: (queue) =>
          running(queue, (run, functionName) => (lease) => {
            const { namespace, name } = parseKey(lease.key) ?? { namespace: "", name: "" };
            const decided = new Promise<Outcome>((resolve) => {
              waiting.set(`${functionName} ${namespace}/${name}`, (decision) => resolve(outcomeOf(decision)));
            });
            return Promise.race([run(lease), decided]);
          }),
      };
    },
  },
  {
    number: "D-19",
    title: "a run that has lost its lease continues to write",
    target: { workload: "W-02", faults: ["X-31", "X-05"] },
    patch: () => ({
      queue: (queue) =>
        running(queue, (run) => (lease) => run({ ...lease, signal: new AbortController().signal })),
    }),
  },
];

type Run = (lease: Lease) => Promise<Outcome>;

/** The same queue for a worker that runs keys in another way. */
function running(queue: Queue, wrap: (run: Run, functionName: string) => Run): Queue {
  return patched(queue, {
    work: (functionName, options, run) => queue.work(functionName, options, wrap(run, functionName)),
  });
}

function outcomeOf({ result }: AnyDecision): Outcome {
  const afterMs = result.type === "requeue" ? result.afterMs : undefined;
  return { type: "ok", requested: true, afterMs, fences: [] };
}
