import { isIPv6 } from "node:net";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { ListenAddress } from "../worker/http-listener.ts";

/** Listeners of a process in a Pod. */
export interface ListenOptions {
  readonly healthAddress?: ListenAddress | undefined;
  readonly diagnosticsAddress?: ListenAddress | undefined;
  readonly diagnosticsCertDir?: string | undefined;
  readonly diagnosticsClientCa?: string | undefined;
}

export function addListenOptions(command: Command): Command {
  return command
    .addOption(healthAddressOption())
    .addOption(
      new Option(
        "--diagnostics-address <address>",
        "serve /metrics, /status, /keys and /scale over TLS to clients that the API server or a client certificate admits, for example at :8443 (default: nowhere)",
      ).argParser(parseListenAddress),
    )
    .option(
      "--diagnostics-cert-dir <folder>",
      "folder with tls.crt and tls.key of that listener, read again when they change (default: a certificate that signs itself)",
    )
    .option(
      "--diagnostics-client-ca <file>",
      "authorities in PEM: clients with a certificate of one of them need no token (default: none)",
    );
}

export function healthAddressOption(): Option {
  return new Option(
    "--health-address <address>",
    "serve /livez and /readyz over http, for example at :9440 (default: nowhere)",
  ).argParser(parseListenAddress);
}

/** Parses `:9440` for every address of the machine, or HOST:PORT; port 0 = any free one. */
export function parseListenAddress(text: string): ListenAddress {
  const [, host = "", digits = ""] = /^(.*):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  const isHost = bare === "" ? host === "" : host === bare ? !bare.includes(":") : isIPv6(bare);
  if (digits !== "" && port <= 65_535 && isHost) return { host: bare === "" ? undefined : bare, port };
  throw new InvalidArgumentError("write :PORT, HOST:PORT or [IPV6]:PORT");
}
