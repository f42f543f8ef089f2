import type { KubeObject } from "../../shared/api/kinds.ts";
import { refTo } from "../../shared/api/kinds.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import { Pod } from "../../shared/api/workload.ts";
import { type AnyFunction, defineFunction } from "../../shared/function/define-function.ts";
import type { EvictionAnswer } from "../../shared/function/evictions.ts";
import { done, failed } from "../../shared/function/result.ts";

/** Evicts all Pods and fails with what each of them was answered; `judge` replaces the result. */
export function evictor(judge?: (answers: readonly EvictionAnswer[]) => never): AnyFunction {
  return defineFunction(
    {
      name: "pool-evict",
      summary: "Evicts.",
      source: "own",
      reconciles: MachinePool,
      watches: [],
      owns: [],
      calls: [{ verb: "evict", kind: Pod }],
      readsLive: [Pod],
    },
    async (_, { read }) => {
      const pods = await read.live.list(Pod, {});
      const reported = (answers: readonly EvictionAnswer[]) => answers.map(describeAnswer).join("; ");
      return {
        evict: {
          pods: pods.map((pod) => ({ target: refTo(Pod, pod) })),
          answered: (answers) => ({ result: judge?.(answers) ?? failed("Invalid", reported(answers)) }),
        },
        result: done,
      };
    },
  );
}

export function describeAnswer(answer: EvictionAnswer): string {
  const { type, target } = answer;
  const why =
    type === "refused"
      ? ` ${[answer.message, ...answer.causes.map(({ message }) => message)].join(" ")}`
      : "";
  return `${target.name} ${type}${why}`;
}

/** Pod `default/<name>`, uid-<name>. */
export function pod(name: string, content: object = {}): Pod {
  const metadata: KubeObject["metadata"] = {
    name,
    namespace: "default",
    uid: `uid-${name}`,
    resourceVersion: "5",
  };
  return { apiVersion: "v1", kind: "Pod", metadata, ...content };
}
