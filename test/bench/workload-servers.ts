import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** Simulated workload API servers with Nodes, in a process of their own. */
export interface WorkloadServers extends AsyncDisposable {
  /** Of each server, in order. */
  readonly kubeconfigs: readonly string[];
  readonly pid: number;
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
    }
  /** A server takes requests no longer. */
  | { readonly do: "end"; readonly server: number };

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

/** Each server has so many pools, each of them so many Nodes. With `tls` they serve HTTPS. */
export async function startWorkloadServers(
  servers: number,
  pools: number,
  nodes: number,
  { tls = false }: { readonly tls?: boolean } = {},
): Promise<WorkloadServers> {
  const file = fileURLToPath(new URL("./workload-process.ts", import.meta.url));
  const child = fork(file, [...[servers, pools, nodes].map(String), ...(tls ? ["tls"] : [])]);
  const waiting = new Map<number, (reply: Reply) => void>();
  const first = await reply(child);
  child.on("message", (answer: Reply) => {
    if ("id" in answer) waiting.get(answer.id)?.(answer);
  });
  let orders = 0;
  return {
    kubeconfigs: "kubeconfigs" in first ? first.kubeconfigs : [],
    pid: child.pid ?? 0,
    async order(order) {
      orders += 1;
      const numbered: Numbered = { ...order, id: orders };
      const answered = Promise.withResolvers<Reply>();
      waiting.set(numbered.id, answered.resolve);
      child.send(numbered);
      const answer = await Promise.race([answered.promise, endOf(child)]);
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

async function reply(child: ChildProcess): Promise<Reply> {
  const [answer] = (await Promise.race([once(child, "message"), endOf(child)])) as [Reply];
  return answer;
}

const ends = new WeakMap<ChildProcess, Promise<never>>();

function endOf(child: ChildProcess): Promise<never> {
  const known = ends.get(child);
  if (known !== undefined) return known;
  const ended = once(child, "exit").then((): never => {
    throw new Error("the process of the workload API servers has ended");
  });
  ended.catch(() => undefined);
  ends.set(child, ended);
  return ended;
}
