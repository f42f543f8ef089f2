import { type Command, InvalidArgumentError, Option } from "commander";
import type { ListenAddress } from "../../worker/http-listener.ts";
import { parseListenAddress } from "../listen-options.ts";

/** How a console is served, beside its address. */
export interface ConsoleFlags {
  readonly hostName?: readonly string[];
  readonly consoleCertDir?: string;
  readonly dashboardsUrl?: string;
  readonly actions: boolean;
}

/** The flags of `up` for a console beside everything else. */
export interface UpConsoleFlags extends ConsoleFlags {
  readonly console?: ListenAddress;
}

const DEFAULT_ADDRESS = "127.0.0.1:9470";

export function addUpConsoleOptions(command: Command): Command {
  const address = new Option(
    "--console [address]",
    `serve the console there, ${DEFAULT_ADDRESS} without an address (default: nowhere)`,
  );
  return addConsoleOptions(command.addOption(address.preset(DEFAULT_ADDRESS).argParser(parseListenAddress)));
}

/** Returns the option of the command itself. */
export function addressOption(): Option {
  const option = new Option(
    "--address <address>",
    "serve it there: HOST:PORT, or :PORT beyond loopback, with TLS",
  );
  return option.default(parseListenAddress(DEFAULT_ADDRESS), DEFAULT_ADDRESS).argParser(parseListenAddress);
}

export function addConsoleOptions(command: Command): Command {
  return command
    .option(
      "--host-name <names...>",
      "names under which browsers open the console, for example console.example.com or localhost:9470 (default: those of loopback)",
    )
    .option(
      "--console-cert-dir <folder>",
      "beyond loopback: folder with tls.crt and tls.key, read again when they change (default: a certificate that signs itself)",
    )
    .option(
      "--actions",
      "let persons requeue and drop dead letters, and pause functions, as far as the API server allows each of them",
      false,
    )
    .option("--dashboards-url <url>", "where the console links to for plots of more than an hour", parseUrl);
}

/** Accepts only what a browser opens as a page. */
function parseUrl(text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url.href;
  throw new InvalidArgumentError("write http://HOST/PATH or https://HOST/PATH");
}
