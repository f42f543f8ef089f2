import { isIP } from "node:net";
import { type Environment, readEnvironment } from "../config.ts";
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
