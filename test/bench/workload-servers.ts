import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** Simulated workload API servers with Nodes, in a process of their own. */
export interface WorkloadServers extends AsyncDisposable {
  /** Of each server, in order. */
  readonly kubeconfigs: readonly string[];
  /** One heartbeat of every Node, spread over so many ms. Resolves with their number once all are sent. */
  beat(spreadMs: number): Promise<number>;
}

/** Messages to the process and its answers. */
export type Order = { readonly beat: number };
export type Reply = { readonly kubeconfigs: readonly string[] } | { readonly beats: number };

/** Names of the pools whose Nodes a server has. */
export function poolsOf(server: number, pools: number): readonly string[] {
  return Array.from({ length: pools }, (_, index) => `pool-${server}-${index}`);
}

/** Each server has so many pools, each of them so many Nodes. */
export async function startWorkloadServers(
  servers: number,
  pools: number,
  nodes: number,
): Promise<WorkloadServers> {
  const file = fileURLToPath(new URL("./workload-process.ts", import.meta.url));
  const child = fork(file, [servers, pools, nodes].map(String));
  const first = await reply(child);
  return {
    kubeconfigs: "kubeconfigs" in first ? first.kubeconfigs : [],
    async beat(spreadMs) {
      const order: Order = { beat: spreadMs };
      child.send(order);
      const answer = await reply(child);
      return "beats" in answer ? answer.beats : 0;
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

async function reply(child: ChildProcess): Promise<Reply> {
  const ended = once(child, "exit").then(() => {
    throw new Error("the process of the workload API servers has ended");
  });
  const [answer] = (await Promise.race([once(child, "message"), ended])) as [Reply];
  ended.catch(() => undefined);
  return answer;
}
