import { createServer, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { dump } from "js-yaml";
import type { Credentials } from "../../../infra/platform/pki/pki.ts";
import type { Node } from "../../../shared/api/core.ts";

/** Many workload API servers behind one port, with Nodes only; the token of a kubeconfig says which one is meant. */
export interface NodeServer extends AsyncDisposable {
  kubeconfigOf(cluster: string): string;
  /** How many watches of the Nodes of each workload cluster are open now; 0 is left out. */
  watches(): ReadonlyMap<string, number>;
  /** A Node joins a workload cluster. */
  join(cluster: string, name: string): void;
  /** From now on requests of this workload cluster are accepted and never answered. */
  hang(cluster: string): void;
  /** Every Node that is watched changes once, as by a heartbeat. Returns how many. */
  beat(): number;
  /** Lists of all Nodes that were answered. */
  readonly lists: readonly string[];
}

interface Workload {
  readonly nodes: Node[];
  readonly watches: Set<ServerResponse>;
  isHanging: boolean;
}

interface NodeServerOptions {
  /** Of each workload cluster at first, `<cluster>-0` and so on. Default 1. */
  readonly nodes?: number;
  /** A certificate of 127.0.0.1 and its authority, PEM. Default: plain http. */
  readonly tls?: Credentials & { readonly ca: string };
}

const STATUS = { kind: "Status", apiVersion: "v1" };

export async function startNodeServer({ nodes = 1, tls }: NodeServerOptions = {}): Promise<NodeServer> {
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
  const watch = (workload: Workload, response: ServerResponse, since: number): void => {
    workload.watches.add(response);
    response.once("close", () => workload.watches.delete(response));
    response.writeHead(200, { "Content-Type": "application/json" });
    response.flushHeaders();
    const missed = workload.nodes.filter(({ metadata }) => Number(metadata.resourceVersion) > since);
    for (const object of missed) send([response], "ADDED", object);
  };
  const handle: RequestListener = (request, response) => {
    const cluster = (request.headers.authorization ?? "").replace("Bearer ", "");
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    const workload = of(cluster);
    if (workload.isHanging) return;
    if (pathname !== "/api/v1/nodes") return answer(response, 200, { ...STATUS, status: "Success" });
    // As servers without this feature.
    if (searchParams.has("sendInitialEvents"))
      return answer(response, 422, { ...STATUS, code: 422, reason: "Invalid" });
    if (searchParams.get("watch") === "true")
      return watch(workload, response, Number(searchParams.get("resourceVersion")));
    lists.push(cluster);
    const metadata = { resourceVersion: String(version) };
    return answer(response, 200, { kind: "NodeList", apiVersion: "v1", metadata, items: workload.nodes });
  };
  const server = tls === undefined ? createServer(handle) : createTlsServer(tls, handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    kubeconfigOf: (cluster) => kubeconfig(port, cluster, tls?.ca),
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
      send(watches, "ADDED", object);
    },
    beat() {
      const watched = [...workloads.values()].filter(({ watches }) => watches.size > 0);
      for (const { nodes: all, watches } of watched) {
        for (const [index, { metadata }] of all.entries()) {
          version += 1;
          const object = node(metadata.name, version);
          all[index] = object;
          send(watches, "MODIFIED", object);
        }
      }
      return watched.reduce((sum, { nodes: all }) => sum + all.length, 0);
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

function send(watches: Iterable<ServerResponse>, type: string, object: Node): void {
  const line = `${JSON.stringify({ type, object })}\n`;
  for (const response of watches) response.write(line);
}

function node(name: string, version: number): Node {
  const conditions = ["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"].map((type) => ({
    type,
    status: type === "Ready" ? "True" : "False",
    lastTransitionTime: "2026-01-01T00:00:00Z",
    lastHeartbeatTime: new Date().toISOString().replace(/\.\d+/, ""),
  }));
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, uid: `uid-${name}`, resourceVersion: String(version) },
    spec: { providerID: `x://${name}` },
    status: { conditions, nodeInfo: { kubeletVersion: "v1.34.2" } },
  };
}

function kubeconfig(port: number, cluster: string, ca: string | undefined): string {
  const trusted = ca && { "certificate-authority-data": Buffer.from(ca).toString("base64") };
  const server = `${ca === undefined ? "http" : "https"}://127.0.0.1:${port}`;
  return dump({
    clusters: [{ name: "c", cluster: { server, ...trusted } }],
    users: [{ name: "u", user: { token: cluster } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
}
