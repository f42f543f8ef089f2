import { request as httpsRequest } from "node:https";
import { isIP, type LookupFunction, type Socket } from "node:net";
import { rootCertificates } from "node:tls";
import { request as httpRequest } from "../node-http.ts";

/** Connecting to the proxy, and its answer. */
const WITHIN_MS = 10_000;
/** The port of each scheme, where the URL names none. */
const PORTS = { "http:": 80, "https:": 443, "socks5:": 1080 };

/** A proxy of a kubeconfig, and where it shall lead to. */
export interface Tunnel {
  readonly proxy: URL;
  /** The proxy resolves it, as with Kubernetes' own client. */
  readonly host: string;
  readonly port: number;
  /** Authorities of the kubeconfig, which may also have signed an https proxy. */
  readonly ca: string | undefined;
  /** Default: any address. */
  readonly lookup: LookupFunction | undefined;
}

/** Returns a socket that leads through the proxy. Rejects within 10 s; user and password of the proxy are in no message. */
export async function openTunnel(tunnel: Tunnel): Promise<Socket> {
  const { protocol, hostname } = tunnel.proxy;
  const scheme = protocol as keyof typeof PORTS;
  const address = {
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
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
  const target = `${host.includes(":") ? `[${host}]` : host}:${port}`;
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
      ca: [...rootCertificates, ca ?? ""],
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

async function throughSocks({ proxy, host, port }: Tunnel, { lookup, ...address }: Address): Promise<Socket> {
  const { SocksClient } = await import("socks");
  const { username, password } = credentialsOf(proxy);
  const { socket } = await SocksClient.createConnection({
    proxy: { ...address, type: 5, ...(username === "" ? {} : { userId: username, password }) },
    command: "connect",
    destination: { host, port },
    timeout: WITHIN_MS,
    // The library sets host and port.
    ...(lookup === undefined ? {} : { socket_options: { ...address, lookup } }),
  });
  return socket;
}

function credentialsOf({ username, password }: URL) {
  return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
}
