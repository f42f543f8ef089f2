import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { dump } from "js-yaml";

/** Many workload API servers behind one port, with Nodes only; the token of a kubeconfig says which one is meant. */
export interface NodeServer extends AsyncDisposable {
  kubeconfigOf(cluster: string): string;
  /** How many watches of the Nodes of each workload cluster are open now; 0 is left out. */
  watches(): ReadonlyMap<string, number>;
  /** A Node joins a workload cluster. */
  join(cluster: string, name: string): void;
  /** From now on requests of this workload cluster are accepted and never answered. */
  hang(cluster: string): void;
  /** Lists of all Nodes that were answered. */
  readonly lists: readonly string[];
}

interface Workload {
  readonly nodes: object[];
  readonly watches: Set<ServerResponse>;
  isHanging: boolean;
}

const STATUS = { kind: "Status", apiVersion: "v1" };

/** Starts it; each workload cluster begins with `nodes` Nodes, `<cluster>-0` and so on. */
export async function startNodeServer(nodes = 1): Promise<NodeServer> {
  const workloads = new Map<string, Workload>();
  const lists: string[] = [];
  let version = 100;
  const of = (cluster: string): Workload => {
    const known = workloads.get(cluster);
    if (known !== undefined) return known;
    const names = Array.from({ length: nodes }, (_, index) => `${cluster}-${index}`);
    const created = {
      nodes: names.map((name) => node(name, 10)),
      watches: new Set<ServerResponse>(),
      isHanging: false,
    };
    workloads.set(cluster, created);
    return created;
  };
  const watch = (workload: Workload, response: ServerResponse): void => {
    workload.watches.add(response);
    response.once("close", () => workload.watches.delete(response));
    response.writeHead(200, { "Content-Type": "application/json" });
    response.flushHeaders();
  };
  const server = createServer((request, response) => {
    const cluster = (request.headers.authorization ?? "").replace("Bearer ", "");
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    const workload = of(cluster);
    if (workload.isHanging) return;
    if (pathname !== "/api/v1/nodes") return answer(response, 200, { ...STATUS, status: "Success" });
    // As servers without this feature.
    if (searchParams.has("sendInitialEvents"))
      return answer(response, 422, { ...STATUS, code: 422, reason: "Invalid" });
    if (searchParams.get("watch") === "true") return watch(workload, response);
    lists.push(cluster);
    const metadata = { resourceVersion: String(version) };
    return answer(response, 200, { kind: "NodeList", apiVersion: "v1", metadata, items: workload.nodes });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    kubeconfigOf: (cluster) => kubeconfig(port, cluster),
    watches: () =>
      new Map(
        [...workloads]
          .map(([cluster, { watches }]) => [cluster, watches.size] as const)
          .filter(([, open]) => open > 0),
      ),
    join(cluster, name) {
      version += 1;
      const object = node(name, version);
      const { nodes: all, watches } = of(cluster);
      all.push(object);
      for (const response of watches) response.write(`${JSON.stringify({ type: "ADDED", object })}\n`);
    },
    hang(cluster) {
      of(cluster).isHanging = true;
    },
    lists,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(response: ServerResponse, code: number, body: object): void {
  response.writeHead(code, { "Content-Type": "application/json" });
  response.end(JSON.stringify(body));
}

function node(name: string, version: number): object {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, uid: `uid-${name}`, resourceVersion: String(version) },
    spec: { providerID: `x://${name}` },
  };
}

function kubeconfig(port: number, cluster: string): string {
  return dump({
    clusters: [{ name: "c", cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: "u", user: { token: cluster } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
}
