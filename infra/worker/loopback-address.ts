import { isIPv4 } from "node:net";

export interface LoopbackAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Parses `127.0.0.1:PORT`, `localhost:PORT` or `[::1]:PORT`; port 0 = any free one. Throws for every other address:
 * metrics and status beyond loopback need TLS and an access review first (S-40).
 */
export function parseLoopbackAddress(text: string): LoopbackAddress {
  const [, host = "", digits = ""] = /^(.*):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (host === "" || digits === "" || port > 65_535) {
    throw new Error(`${text} is not an address with a port; write 127.0.0.1:PORT`);
  }
  if (host === "localhost") return { host: "127.0.0.1", port };
  if (host === "[::1]") return { host: "::1", port };
  if (isIPv4(host) && host.startsWith("127.")) return { host, port };
  throw new Error(
    `${host} is not loopback: metrics and status have neither TLS nor authentication yet; write 127.0.0.1:${port}`,
  );
}

/** Whether a Host header names this machine. A web page that rebinds its name cannot make it so. */
export function isLoopbackHost(header: string | undefined): boolean {
  return /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|localhost|\[::1\])(:\d{1,5})?$/.test(header ?? "");
}
