import { createHash, timingSafeEqual } from "node:crypto";
import { MINUTE, SECOND } from "../../../shared/function/backoff.ts";
import type { Clock, Random } from "../../../shared/runtime/ports.ts";
import { createTokenBucket } from "../../platform/token-bucket.ts";
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

const CODE_BYTES = 16;
const TRIES_PER_MINUTE = 10;

/** The secret in the link that the terminal shows. */
export interface Code {
  readonly text: string;
  /** Returns when it is the code; throws the Problem otherwise, and after 10 wrong ones a minute for each. */
  check(guess: string): void;
}

/** A code of 128 bits. Other users of the machine do not see the terminal. */
export function createCode(random: Pick<Random, "id">, clock: Clock): Code {
  const text = random.id(CODE_BYTES);
  const wrong = createTokenBucket(clock, {
    perSecond: TRIES_PER_MINUTE / (MINUTE / SECOND),
    burst: TRIES_PER_MINUTE,
  });
  return {
    text,
    check(guess) {
      // Refused also when it is right: an answer would be a guess more.
      if (wrong.debtAfterMs(1) > 0) {
        throw problem(
          "tooManyTries",
          `there were ${TRIES_PER_MINUTE} wrong codes within a minute`,
          "wait a minute",
        );
      }
      if (timingSafeEqual(digestOf(guess), digestOf(text))) return;
      wrong.take(1);
      throw problem(
        "unauthorized",
        "the code is wrong",
        "open the link that the terminal of this console shows",
        { signIn: "link" },
      );
    },
  };
}

/** Returns a digest of one length, whatever was sent. */
function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
