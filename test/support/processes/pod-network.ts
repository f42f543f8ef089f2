import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { connect, type Server } from "node:net";
import { spawnChild } from "./spawn-child.ts";

interface Address {
  readonly host: string;
  readonly port: number;
}

/** A network namespace with nothing but loopback. Disposing ends it. */
export interface PodNetwork extends AsyncDisposable {
  /** Its file, for a runtime that starts containers in it. */
  readonly file: string;
  /** Connections to this address in it arrive there on this machine. */
  forward(from: Address, to: Address): Promise<void>;
  /** Status of a GET in it, as by its kubelet; undefined when it is not answered. */
  get(url: string): Promise<number | undefined>;
}

/** Runs in the namespace: hands the sockets that it listens on to this process, and asks URLs. */
const AGENT = `
const { createServer } = require("node:net");
process.on("message", async ({ id, listen, url }) => {
  if (listen !== undefined) {
    // From then on the other process alone takes connections.
    const server = createServer().listen(listen.port, listen.host, () => process.send({ id }, server, () => server.close()));
    return;
  }
  const status = await fetch(url, { signal: AbortSignal.timeout(2_000) }).then((answer) => answer.status, () => undefined);
  process.send({ id, status });
});
process.send({ id: 0 });
`;

interface Reply {
  readonly id: number;
  readonly status?: number;
}

export async function openPodNetwork(): Promise<PodNetwork> {
  const script = 'ip link set lo up && exec "$0" --eval "$1"';
  const agent = spawnChild("unshare", ["--net", "sh", "-c", script, process.execPath, AGENT], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  }) as ChildProcess;
  const waiting = new Map<number, (reply: Reply, server?: Server) => void>();
  const replied = (id: number) =>
    new Promise<readonly [Reply, Server | undefined]>((resolve) => {
      waiting.set(id, (reply, server) => resolve([reply, server]));
    });
  agent.on("message", (reply: Reply, server: unknown) => waiting.get(reply.id)?.(reply, server as Server));
  await replied(0);
  let asked = 0;
  const ask = (question: object) => {
    asked += 1;
    agent.send({ id: asked, ...question });
    return replied(asked);
  };
  const servers = new Set<Server>();
  return {
    file: `/proc/${agent.pid}/ns/net`,
    async forward(from, to) {
      const [, server] = await ask({ listen: from });
      if (server === undefined) throw new Error("bug: the agent has sent no socket");
      servers.add(server);
      server.on("connection", (socket) => {
        const onward = connect(to);
        socket.pipe(onward).pipe(socket);
        for (const [one, other] of [
          [socket, onward],
          [onward, socket],
        ] as const) {
          one.on("error", () => other.destroy());
          one.on("close", () => other.destroy());
        }
      });
    },
    async get(url) {
      const [{ status }] = await ask({ url });
      return status;
    },
    async [Symbol.asyncDispose]() {
      for (const server of servers) server.close();
      const gone = once(agent, "exit");
      agent.kill("SIGKILL");
      await gone;
    },
  };
}
