import { once } from "node:events";
import { createServer as createTlsServer } from "node:https";
import { connect, createServer as createNetServer, type Server, type Socket } from "node:net";
import { createServer as createTlsSocketServer } from "node:tls";
import { dump } from "js-yaml";
import { expect, it, vi } from "vitest";
import { systemClock } from "../../../../infra/platform/clock.ts";
import { createServer } from "../../../../infra/platform/kube/client.ts";
import { parseKubeconfig } from "../../../../infra/platform/kube/kubeconfig.ts";
import { environmentProxy } from "../../../../infra/platform/kube/proxy-tunnel.ts";
import { openSqs } from "../../../../infra/queue/backends/sqs/sqs-endpoint.ts";
import { recordingLog } from "../../../support/recording-log.ts";
import { Thing } from "../../../support/thing.ts";
import { newAuthority, type TestAuthority } from "../../../support/tls-files.ts";

const PROXY = { HTTPS_PROXY: "http://proxy.corp:3128" };

it.each([
  ["https://api.example.com:6443", "", true],
  ["http://api.example.com", "", false],
  ["https://localhost:6443", "", false],
  ["https://127.0.0.1:6443", "", false],
  ["https://[::1]:6443", "", false],
  ["https://api.example.com:6443", "*", false],
  ["https://api.example.com:6443", "other.com, EXAMPLE.com", false],
  ["https://example.com", ".example.com", true],
  ["https://api.example.com", ".example.com", false],
  ["https://api.example.com", "*.example.com", false],
  ["https://badexample.com", "example.com", true],
  ["https://api.example.com:6443", "api.example.com:443", true],
  ["https://api.example.com", "api.example.com:443", false],
  ["https://10.96.0.1", "10.96.0.0/12,.svc", false],
  ["https://10.112.0.1", "10.96.0.0/12", true],
  ["https://10.96.0.1", "10.96.0.1", false],
  ["https://[fd00::1]:6443", "fd00::/8", false],
  ["https://[fd00::1]:6443", "[fd00::1]:6443", false],
])("KC-13: %s, with NO_PROXY %j, is reached through the proxy: %s", (server, except, proxied) => {
  const found = environmentProxy(new URL(server), { ...PROXY, NO_PROXY: except });
  expect(found?.href).toBe(proxied ? "http://proxy.corp:3128/" : undefined);
});

it("KC-13: small names of the variables and a proxy without a scheme count, and empty ones name none", () => {
  const server = new URL("https://api.example.com");
  expect(environmentProxy(server, { https_proxy: "proxy.corp:3128" })?.href).toBe("http://proxy.corp:3128/");
  expect(environmentProxy(server, { HTTPS_PROXY: "", https_proxy: "" })).toBeUndefined();
  expect(environmentProxy(server, { ...PROXY, no_proxy: "example.com" })).toBeUndefined();
  expect(() => environmentProxy(server, { HTTPS_PROXY: "ftp://p" })).toThrow(
    "environment variable HTTPS_PROXY: it is not the URL of a proxy; write http://",
  );
});

const key = { namespace: "default", name: "a" };
const thing = { apiVersion: "things.example/v1", kind: "Thing", metadata: { ...key, resourceVersion: "5" } };
const BASIC = `Basic ${Buffer.from("capstan:se/cret").toString("base64")}`;

/** Listens on loopback; disposing breaks its connections. */
async function listening(server: Server): Promise<AsyncDisposable & { readonly port: number }> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket.on("error", () => undefined)));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function startApi(authority: TestAuthority) {
  const server = createTlsServer(await authority.issue("server"), (request, response) => {
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ ...thing, seen: request.headers["authorization"] }));
  });
  return listening(server);
}

function join(socket: Socket, port: number, then: (upstream: Socket) => void): void {
  const upstream = connect(port, "127.0.0.1", () => then(upstream));
  upstream.on("error", () => socket.destroy());
  upstream.pipe(socket);
  socket.on("close", () => upstream.destroy());
}

/** Answers CONNECT, for the user above only. `workload.internal` is a name that only this proxy knows. */
function httpProxy(asked: string[], port: number) {
  return (socket: Socket): void => {
    socket.once("data", (chunk) => {
      const text = chunk.toString();
      asked.push(text.split("\r\n")[0] ?? "");
      if (!text.includes(`Proxy-Authorization: ${BASIC}\r\n`)) {
        return void socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      }
      join(socket, port, (upstream) => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        socket.pipe(upstream);
      });
    });
  };
}

/** Speaks SOCKS 5 with user and password (RFC 1928, 1929), to targets by name only. */
function socksProxy(asked: string[], port: number) {
  return (socket: Socket): void => {
    socket.once("data", () => {
      socket.write(Buffer.from([5, 2]));
      socket.once("data", (login) => {
        const right = login.toString("latin1") === "\x01\x07capstan\x07se/cret";
        socket.write(Buffer.from([1, right ? 0 : 1]));
        socket.once("data", (request) => {
          asked.push(
            `SOCKS ${request.subarray(5, -2).toString()}:${request.readUInt16BE(request.length - 2)}`,
          );
          join(socket, port, (upstream) => {
            socket.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]));
            socket.pipe(upstream);
          });
        });
      });
    });
  };
}

/** An API server, and a proxy of a scheme in front of it. */
async function world(scheme: "http" | "https" | "socks5") {
  await using starting = new AsyncDisposableStack();
  const authority = await newAuthority();
  const api = starting.use(await startApi(authority));
  const asked: string[] = [];
  const talk = (scheme === "socks5" ? socksProxy : httpProxy)(asked, api.port);
  const server =
    scheme === "https" ? createTlsSocketServer(await authority.issue("server"), talk) : createNetServer(talk);
  const { port } = starting.use(await listening(server));
  const running = starting.move();
  const urlOf = (user: string) => `${scheme}://${user}127.0.0.1:${port}`;
  const get = async (user?: string) => {
    const cluster = {
      server: "https://workload.internal:6443",
      "tls-server-name": "localhost",
      "certificate-authority-data": Buffer.from(authority.cert).toString("base64"),
      ...(user !== undefined && { "proxy-url": urlOf(user) }),
    };
    const text = dump({
      clusters: [{ name: "c", cluster }],
      users: [{ name: "u", user: { token: "t" } }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    });
    using client = createServer(parseKubeconfig(text), { clock: systemClock });
    return await client.as("x").get(Thing, key);
  };
  return { asked, get, urlOf, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

it.each([
  ["http", "CONNECT workload.internal:6443 HTTP/1.1"],
  ["https", "CONNECT workload.internal:6443 HTTP/1.1"],
  ["socks5", "SOCKS workload.internal:6443"],
] as const)(
  "KC-12: a kubeconfig reaches its server through an %s proxy, which resolves its name",
  async (scheme, line) => {
    await using proxied = await world(scheme);
    expect(await proxied.get("capstan:se%2Fcret@")).toMatchObject({ kind: "Thing", seen: "Bearer t" });
    expect(proxied.asked).toEqual([line]);
  },
);

it.each(["http", "https", "socks5"] as const)(
  "KC-12: what an %s proxy refuses names the proxy, and neither its user nor its password",
  async (scheme) => {
    await using proxied = await world(scheme);
    const refused = proxied.get("capstan:wrong@");
    await expect(refused).rejects.toThrow(/proxy 127\.0\.0\.1:\d+: /);
    await expect(refused).rejects.not.toThrow("wrong");
  },
);

it("KC-13: HTTPS_PROXY leads to servers whose kubeconfig names no proxy, and to SQS", async () => {
  await using proxied = await world("http");
  vi.stubEnv("HTTPS_PROXY", proxied.urlOf("capstan:se%2Fcret@"));
  vi.stubEnv("NO_PROXY", "other.internal");
  try {
    expect(await proxied.get()).toMatchObject({ kind: "Thing", seen: "Bearer t" });
    const { log } = recordingLog();
    const credentials = { accessKeyId: "a", secretAccessKey: "s" };
    const target = { region: "eu-west-1", endpoint: "https://queue.internal", credentials };
    const sqs = await openSqs(target, { clock: systemClock, log });
    // The proxy leads to the API server, whose certificate names another host.
    await expect(sqs.call((client) => client.listQueues(), { limitMs: 10_000 })).rejects.toThrow(
      "certificate",
    );
    sqs.close();
    expect(new Set(proxied.asked)).toEqual(
      new Set(["CONNECT workload.internal:6443 HTTP/1.1", "CONNECT queue.internal:443 HTTP/1.1"]),
    );
  } finally {
    vi.unstubAllEnvs();
  }
});
