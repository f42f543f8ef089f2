import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** Simulated workload API servers with Nodes, in a process of their own. */
export interface WorkloadServers extends AsyncDisposable {
  /** Of each server, in order. */
  readonly kubeconfigs: readonly string[];
  /** Carries out an order. Resolves with the number of Nodes that it has changed, once all are. */
  order(order: Order): Promise<number>;
}

/** An order to the process. */
export type Order =
  /** One heartbeat of every Node, spread over so many ms. */
  | { readonly do: "beat"; readonly spreadMs: number }
  /** A Node joins a server, ready. */
  | { readonly do: "join"; readonly server: number; readonly node: string }
  /** Nodes of a server say from now on whether they are ready. */
  | {
      readonly do: "say";
      readonly server: number;
      readonly nodes: readonly string[];
      readonly isReady: boolean;
    };

/** Messages to the process and its answers. */
export type Numbered = Order & { readonly id: number };
export type Reply =
  | { readonly kubeconfigs: readonly string[] }
  | { readonly id: number; readonly changed: number }
  | { readonly id: number; readonly problem: string };

/** Names of the pools whose Nodes a server has. */
export function poolsOf(server: number, pools: number): readonly string[] {
  return Array.from({ length: pools }, (_, index) => `pool-${server}-${index}`);
}

/** Servers of a process; what each of them has. */
export interface Wanted {
  readonly servers: number;
  readonly pools: number;
  /** Of each pool. */
  readonly nodes: number;
  /** Whether they serve HTTPS. */
  readonly tls?: boolean;
  /** Keeps their objects, with which the next ones begin; absent: in memory only. */
  readonly folder?: string | undefined;
}

export async function startWorkloadServers(wanted: Wanted): Promise<WorkloadServers> {
  const file = fileURLToPath(new URL("./workload-process.ts", import.meta.url));
  const child = fork(file, [JSON.stringify(wanted)]);
  const ended = once(child, "exit").then((): never => {
    throw new Error("the process of the workload API servers has ended");
  });
  ended.catch(() => undefined);
  const waiting = new Map<number, (reply: Reply) => void>();
  const [first] = (await Promise.race([once(child, "message"), ended])) as [Reply];
  child.on("message", (answer: Reply) => {
    if ("id" in answer) waiting.get(answer.id)?.(answer);
  });
  let orders = 0;
  return {
    kubeconfigs: "kubeconfigs" in first ? first.kubeconfigs : [],
    async order(order) {
      orders += 1;
      const numbered: Numbered = { ...order, id: orders };
      const answered = Promise.withResolvers<Reply>();
      waiting.set(numbered.id, answered.resolve);
      child.send(numbered);
      const answer = await Promise.race([answered.promise, ended]);
      waiting.delete(numbered.id);
      if ("problem" in answer) throw new Error(answer.problem);
      return "changed" in answer ? answer.changed : 0;
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}
