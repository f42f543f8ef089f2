import { lookup as resolve } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { TerminalError } from "../../../shared/function/errors.ts";
import { once } from "../../../shared/runtime/once.ts";
import { embeddedAddresses } from "./embedded-addresses.ts";

/** How to reach one API server. PEM texts, never file names; `tokenFile` only for the management server. */
export interface ServerAccess {
  /** May carry a base path. */
  readonly server: URL;
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly token?: string | undefined;
  /** Read again every 60 s and after a 401 (KC-02). */
  readonly tokenFile?: string | undefined;
  /**
   * Asks the plugin for its credentials again. It answers from memory until they expire, so it may be asked often; see
   * `reload` for refused credentials. Management server only.
   */
  readonly renew?: (() => Promise<ServerAccess>) | undefined;
  /**
   * All connections lead through it: http, https or socks5, with user and password if it wants them. Absent: the proxy that
   * the environment names.
   */
  readonly proxy?: URL | undefined;
  readonly tlsServerName?: string | undefined;
  /** Management server only: a user who writes `insecure-skip-tls-verify` gets it. */
  readonly insecure?: boolean | undefined;
  /** The allowed addresses; absent where any is (the management server is the user's own choice). */
  readonly addresses?: AddressPolicy | undefined;
}

/**
 * The same server for the owner of a token, with none of the credentials of this process: a client certificate would win
 * over the token.
 */
export function accessWithToken(
  { server, ca, tlsServerName, insecure, addresses, proxy }: ServerAccess,
  token: string,
): ServerAccess {
  return { server, ca, tlsServerName, insecure, addresses, proxy, token };
}

/** Which addresses a workload kubeconfig may name (S-11). Link-local and metadata addresses never. */
export interface AddressPolicy {
  /** Only when the management server is on loopback itself, or by an explicit flag. */
  readonly allowLoopback: boolean;
  /** Only these, and loopback among them if they say so; absent = all that are not refused. */
  readonly only?: AddressList | undefined;
}

/** Blocks of addresses, as `--workload-addresses` names them. */
export interface AddressList {
  readonly has: (address: string) => boolean;
  /** The text for messages: `10.0.0.0/8, fd00::/8`. */
  readonly text: string;
}

/** Link-local, services of clouds for their own machines, and addresses that no single server has. */
const refusedBlocks = [
  "0.0.0.0/8",
  "169.254.0.0/16",
  // 192.0.0.192 of Oracle among them.
  "192.0.0.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  // Alibaba, Azure.
  "100.100.100.200",
  "168.63.129.16",
  "::",
  "fe80::/10",
  "ff00::/8",
  // AWS: metadata, pod identity, time, DNS.
  "fd00:ec2::/32",
  // Google, Scaleway.
  "fd20:ce::254",
  "fd00:42::42",
];
const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** Throws TypeError for a text that is neither an address nor a block such as `10.0.0.0/8`. */
export function addressList(blocks: readonly string[]): AddressList {
  const list = new BlockList();
  for (const block of blocks) {
    const [address = "", length, ...more] = block.split("/");
    const family = isIP(address);
    const bits = family === 6 ? 128 : 32;
    const prefix = length === undefined ? bits : Number(length);
    const isPrefix = length !== "" && Number.isInteger(prefix) && prefix >= 0 && prefix <= bits;
    if (family === 0 || !isPrefix || more.length > 0) {
      throw new TypeError(`${block} is not an address block; write one like 10.0.0.0/8 or fd00::/8`);
    }
    list.addSubnet(address, prefix, family === 6 ? "ipv6" : "ipv4");
  }
  return { has: (address) => contains(list, address), text: blocks.join(", ") };
}

/** Returns whether a URL names this machine: a loopback address or `localhost`. */
export function isLoopback(server: URL): boolean {
  const host = hostOf(server);
  return host === "localhost" || host.endsWith(".localhost") || contains(loopback, host);
}

/** Their lists take 4 ms. */
const refusedAddresses = once(() => addressList(refusedBlocks));

/** Returns why a workload kubeconfig must not name this address; `undefined` when it may, or for a name to resolve. */
function refusalOf(address: string, policy: AddressPolicy): string | undefined {
  const reached = [address, ...embeddedAddresses(address)];
  if (reached.some(refusedAddresses().has)) {
    return `server address ${address} is link-local, a cloud metadata address or not the address of a single server; name the API server's own address`;
  }
  if (policy.only !== undefined && isIP(address) !== 0) {
    if (policy.only.has(address)) return undefined;
    return `server address ${address} is outside of --workload-addresses ${policy.only.text}; add its block there`;
  }
  if (!policy.allowLoopback && reached.some((one) => contains(loopback, one))) {
    return `server address ${address} is a loopback address; name an address that Capstan can reach, or start Capstan with --workload-addresses and its block`;
  }
  return undefined;
}

/** Throws TerminalError `InvalidKubeconfig` for a URL that is not https (http on loopback only, KC-03) or refused. */
export function checkServer(server: URL, policy: AddressPolicy | undefined): void {
  if (server.protocol !== "https:" && !(server.protocol === "http:" && isLoopback(server))) {
    throw new TerminalError(
      "InvalidKubeconfig",
      `field server has scheme ${server.protocol.slice(0, -1)}; use https (http is accepted for loopback addresses only)`,
    );
  }
  if (server.username !== "" || server.password !== "") {
    throw new TerminalError(
      "InvalidKubeconfig",
      "field server carries credentials; put them into the user entry",
    );
  }
  checkAddress("server", server, policy);
}

const PROXY_SCHEMES = new Set(["http:", "https:", "socks5:"]);

/** Returns the proxy of a kubeconfig. Throws TerminalError `InvalidKubeconfig` for a scheme or an address that is refused. */
export function checkedProxy(text: string | undefined, policy?: AddressPolicy): URL | undefined {
  if (text === undefined) return undefined;
  const proxy = proxyUrl(text);
  if (proxy === undefined) {
    throw new TerminalError(
      "InvalidKubeconfig",
      "field proxy-url is not the URL of a proxy; write http://, https:// or socks5:// with host and port",
    );
  }
  checkAddress("proxy-url", proxy, policy);
  return proxy;
}

/** Returns the URL of a proxy; undefined where the text is malformed. */
export function proxyUrl(text: string): URL | undefined {
  const proxy = URL.parse(text);
  return proxy === null || !PROXY_SCHEMES.has(proxy.protocol) || proxy.hostname === "" ? undefined : proxy;
}

function checkAddress(field: string, url: URL, policy: AddressPolicy | undefined): void {
  if (policy === undefined) return;
  const host = hostOf(url);
  const refusal =
    isLoopback(url) && isIP(host) === 0 ? refusalOf("127.0.0.1", policy) : refusalOf(host, policy);
  if (refusal !== undefined) throw new TerminalError("InvalidKubeconfig", `field ${field}: ${refusal}`);
}

/** Returns a name resolution that refuses a name which resolves to a refused address, on the address connected to. */
export function checkedLookup(policy: AddressPolicy): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const problem = error ?? refused(hostname, addresses, policy);
      const [first] = problem === undefined ? addresses : [];
      if (problem !== undefined || first === undefined) {
        callback(problem ?? new Error(`${hostname} has no address`), "", 0);
      } else if (options.all === true) {
        callback(null, addresses);
      } else {
        callback(null, first.address, first.family);
      }
    });
  };
}

function refused(
  hostname: string,
  addresses: readonly { readonly address: string }[],
  policy: AddressPolicy,
) {
  const refusal = addresses
    .map(({ address }) => refusalOf(address, policy))
    .find((text) => text !== undefined);
  return refusal === undefined ? undefined : new Error(`${hostname}: ${refusal}`);
}

/** Returns the host of a URL; an address of IPv6 without brackets. */
export function hostOf(server: URL): string {
  return server.hostname.replace(/^\[(.*)\]$/, "$1");
}

function contains(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 6 ? "ipv6" : "ipv4");
}
