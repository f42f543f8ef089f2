import { type Message, valuesOf } from "../message.ts";
import { type Problem, problem } from "../problem.ts";

/** Names under which browsers open a console. */
export interface Site {
  readonly scheme: "http" | "https";
  /** Values of the header Host: `127.0.0.1:9470`, `console.example.com`. Lower case. */
  readonly hosts: ReadonlySet<string>;
}

/**
 * The site of a listener: the names of loopback where it listens there, and the names that were given, alone or with its
 * port. A proxy in front of it may speak https.
 */
export function siteOf(scheme: Site["scheme"], { port, hostNames, isLoopback }: SiteOptions): Site {
  const own = isLoopback ? ["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}:${port}`) : [];
  const given = hostNames.flatMap((name) => (/:\d+$/.test(name) ? [name] : [name, `${name}:${port}`]));
  return { scheme, hosts: new Set([...own, ...given].map((host) => host.toLowerCase())) };
}

interface SiteOptions {
  readonly port: number;
  /** `console.example.com`, or with a port of its own. */
  readonly hostNames: readonly string[];
  readonly isLoopback: boolean;
}

/**
 * Returns why a request is refused before anything else is looked at: its Host is not one of ours (DNS rebinding), or a
 * page of another origin sent it. A link from another site may open a page, which holds no data.
 */
export function foreignness(message: Message, site: Site, isPage: boolean): Problem | undefined {
  const [host, ...others] = valuesOf(message, "host");
  if (host === undefined || others.length > 0 || !site.hosts.has(host.toLowerCase())) {
    return problem("foreignHost", "this console is not served under the Host of the request", HOST_NEXT);
  }
  const origins = valuesOf(message, "origin");
  if (!origins.every((origin) => isOwn(origin, site))) {
    return problem("foreignPage", "a page of another origin has sent the request", PAGE_NEXT);
  }
  const [from = "none", mode] = ["sec-fetch-site", "sec-fetch-mode"].map(
    (name) => valuesOf(message, name)[0],
  );
  const isLink = isPage && message.method === "GET" && mode === "navigate";
  if (from === "same-origin" || from === "none" || isLink) return undefined;
  return problem("foreignPage", "a page of another site has sent the request", PAGE_NEXT);
}
const HOST_NEXT = "open the address that the terminal shows, or start the console with --host-name NAME";
const PAGE_NEXT = "open the console itself";

/** A proxy that ends TLS has the scheme https and the same host. */
function isOwn(origin: string, { scheme, hosts }: Site): boolean {
  const [, found, host = ""] = /^(https?):\/\/([^/]+)$/.exec(origin.toLowerCase()) ?? [];
  return (found === scheme || found === "https") && hosts.has(host);
}

/**
 * Returns why a request that changes something is refused: forms and foreign pages cannot send these headers, whatever
 * credentials a browser or a proxy adds.
 */
export function unfitness({ headers }: Message): Problem | undefined {
  if (!/^application\/json(?:; *charset=utf-8)?$/i.test(headers["content-type"] ?? "")) {
    return problem("notJson", "the body is not application/json", "send Content-Type: application/json");
  }
  if (headers["sec-fetch-site"] !== "same-origin" || headers["capstan-action"] !== "1") {
    const next = "send Capstan-Action: 1 and Sec-Fetch-Site: same-origin, as the console's own page does";
    return problem("foreignPage", "the headers do not say that a person has pressed a button", next);
  }
  return undefined;
}
