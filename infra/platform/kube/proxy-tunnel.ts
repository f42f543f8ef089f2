import { once } from "node:events";
import type { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { getCACertificates } from "node:tls";
import { hostInUrl } from "../../../shared/api/host-in-url.ts";
import { type Environment, readEnvironment } from "../config.ts";
import { request as httpRequest } from "../node-http.ts";
import { groupsOf } from "./embedded-addresses.ts";
import { addressList, hostOf, isLoopback, proxyUrl } from "./server-access.ts";

type Variables = Pick<Environment, "HTTPS_PROXY" | "https_proxy" | "NO_PROXY" | "no_proxy">;

/**
 * Returns the proxy that the environment names for a server, read as programs in Go read it: no proxy for loopback, nor for
 * what `NO_PROXY` names. Throws an Error for a malformed one. Source: golang.org/x/net/http/httpproxy
 */
export function environmentProxy(server: URL, variables: Variables = readEnvironment()): URL | undefined {
  const text = variables.HTTPS_PROXY || variables.https_proxy;
  if (!text || server.protocol !== "https:" || isLoopback(server)) return undefined;
  const except = (variables.NO_PROXY || variables.no_proxy || "").toLowerCase().split(/[\s,]+/);
  if (except.some((entry) => isNamedBy(entry, server))) return undefined;
  const proxy = proxyUrl(text.includes("://") ? text : `http://${text}`);
  if (proxy !== undefined) return proxy;
  throw new Error(
    "environment variable HTTPS_PROXY: it is not the URL of a proxy; write http://, https:// or socks5:// with host and port",
  );
}

/** Whether an entry of `NO_PROXY` names a server: `*`, an address or a block, a domain, each of the latter with or without a port. */
function isNamedBy(entry: string, server: URL): boolean {
  if (isIP(entry.replace(/\/\d+$/, "")) !== 0) return addressList([entry]).has(hostOf(server));
  const [, name = "", port = ""] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  if (name === "" || (port !== "" && port !== (server.port || "443"))) return false;
  const { hostname } = server;
  return name === "*" || name === hostname || hostname.endsWith(`.${name.replace(/^\*?\./, "")}`);
}

/** Connecting to the proxy, and its answer. */
const WITHIN_MS = 10_000;
/** The port of each scheme, where the URL names none. */
const PORTS = { "http:": 80, "https:": 443, "socks5:": 1080 };

/** The idle time after which the kernel probes a peer. */
const PROBE_AFTER_MS = 30_000;

export interface ProxyPath {
  readonly proxy: URL;
  /** Authorities of the kubeconfig that names it, which may also have signed an https proxy. */
  readonly ca?: string | undefined;
  /** Resolves the address of the proxy; default: any address. */
  readonly lookup?: LookupFunction | undefined;
}

/** A proxy, and where it leads to. */
interface Tunnel extends ProxyPath {
  /** The proxy resolves it, as with Kubernetes' own client. */
  readonly host: string;
  readonly port: number;
}

/** Makes the connections of an agent through the proxy of each host, and TLS with the host within them. */
export function leadThrough(
  agent: HttpAgent,
  proxyOf: (host: string, port: number) => ProxyPath | undefined,
): void {
  const connectTo = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const [host, port] = [String(options.host), Number(options.port)];
    const proxy = proxyOf(host, port);
    if (proxy === undefined) return connectTo(options, callback);
    openTunnel({ ...proxy, host, port }).then(
      (socket) => {
        socket.setKeepAlive(true, PROBE_AFTER_MS);
        const through = agent instanceof HttpsAgent ? connectTo({ ...options, socket } as object) : socket;
        callback?.(null, through as Socket);
      },
      (error: Error) => callback?.(error, undefined as never),
    );
    return undefined;
  };
}

/** Returns a socket that leads through the proxy. Rejects within 10 s; user and password of the proxy are in no message. */
async function openTunnel(tunnel: Tunnel): Promise<Socket> {
  const scheme = tunnel.proxy.protocol as keyof typeof PORTS;
  const address = {
    host: hostOf(tunnel.proxy),
    port: Number(tunnel.proxy.port) || PORTS[scheme],
    ...(tunnel.lookup === undefined ? {} : { lookup: tunnel.lookup }),
  };
  try {
    return await (scheme === "socks5:" ? throughSocks : throughConnect)(tunnel, address);
  } catch (error) {
    const why = error instanceof Error ? error.message || error.name : "unknown";
    throw new Error(`proxy ${tunnel.proxy.host}: ${why}`, { cause: error });
  }
}

type Address = { readonly host: string; readonly port: number; readonly lookup?: LookupFunction };

function throughConnect({ proxy, host, port, ca }: Tunnel, address: Address): Promise<Socket> {
  const target = `${hostInUrl(host)}:${port}`;
  const { username, password } = credentialsOf(proxy);
  const basic = Buffer.from(`${username}:${password}`).toString("base64");
  const options = {
    ...address,
    method: "CONNECT",
    path: target,
    headers: { Host: target, ...(username === "" ? {} : { "Proxy-Authorization": `Basic ${basic}` }) },
    agent: false as const,
    timeout: WITHIN_MS,
    signal: AbortSignal.timeout(WITHIN_MS),
  };
  return new Promise((resolve, reject) => {
    // Else Node.js takes the name from the header, which is that of the target.
    const tls = {
      servername: isIP(address.host) === 0 ? address.host : "",
      ca: [...getCACertificates(), ...(ca === undefined ? [] : [ca])],
    };
    const request = proxy.protocol === "https:" ? httpsRequest({ ...options, ...tls }) : httpRequest(options);
    request.once("connect", ({ statusCode }, socket, head) => {
      if (statusCode !== 200) {
        socket.destroy();
        return reject(new Error(`it answered status ${statusCode} when asked for ${target}`));
      }
      socket.setTimeout(0);
      socket.unshift(head);
      resolve(socket as Socket);
    });
    request.once("response", (answer) => {
      answer.destroy();
      reject(new Error(`it answered status ${answer.statusCode} when asked for ${target}`));
    });
    request.on("error", (error) =>
      reject(error.name === "AbortError" ? new Error(`no answer within ${WITHIN_MS / 1_000} s`) : error),
    );
    request.end();
  });
}

/** Connects by SOCKS 5. Source: RFC 1928, 1929 */
async function throughSocks({ proxy, host, port }: Tunnel, address: Address): Promise<Socket> {
  const signal = AbortSignal.timeout(WITHIN_MS);
  const socket = connect(address);
  try {
    await once(socket, "connect", { signal });
    await logIn(socket, credentialsOf(proxy), signal);
    socket.write(Buffer.from([5, 1, 0, ...socksAddress(host), port >> 8, port & 0xff]));
    const [, status = 0, , type = 0] = await read(socket, 4, signal);
    if (status !== 0)
      throw new Error(`it answered status ${status} when asked for ${hostInUrl(host)}:${port}`);
    const [length = 0] = type === 3 ? await read(socket, 1, signal) : [type === 4 ? 16 : 4];
    await read(socket, length + 2, signal);
    return socket;
  } catch (error) {
    socket.destroy();
    throw signal.aborted ? new Error(`no answer within ${WITHIN_MS / 1_000} s`) : error;
  }
}

async function logIn(
  socket: Socket,
  { username, password }: ReturnType<typeof credentialsOf>,
  signal: AbortSignal,
): Promise<void> {
  socket.write(Buffer.from(username === "" ? [5, 1, 0] : [5, 2, 0, 2]));
  const [, way] = await read(socket, 2, signal);
  if (way === 0) return;
  const [user, secret] = [Buffer.from(username), Buffer.from(password)];
  if (way !== 2 || username === "" || Math.max(user.length, secret.length) > 0xff)
    throw new Error("it wants another way to log in than the URL has");
  socket.write(Buffer.from([1, user.length, ...user, secret.length, ...secret]));
  const [, refused] = await read(socket, 2, signal);
  if (refused !== 0) throw new Error("it refuses user or password");
}

/** The proxy resolves a name. */
function socksAddress(host: string): readonly number[] {
  const family = isIP(host);
  if (family === 4) return [1, ...host.split(".").map(Number)];
  if (family === 6) return [4, ...groupsOf(host).flatMap((group) => [group >> 8, group & 0xff])];
  const name = Buffer.from(host);
  if (name.length > 0xff) throw new Error("the name of the server is too long for it");
  return [3, name.length, ...name];
}

/** Reads so many bytes; the rest stays in the socket. */
async function read(socket: Socket, count: number, signal: AbortSignal): Promise<Buffer> {
  for (;;) {
    const bytes = socket.read(count) as Buffer | null;
    if (bytes?.length === count) return bytes;
    if (bytes !== null || socket.readableEnded || socket.destroyed)
      throw new Error("it closed the connection");
    await Promise.race([once(socket, "readable", { signal }), once(socket, "end", { signal })]);
  }
}

function credentialsOf({ username, password }: URL) {
  return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
}
