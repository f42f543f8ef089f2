import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import type { Http2ServerRequest } from "node:http2";

/** A request of HTTP/1 or HTTP/2. */
export type Message = IncomingMessage | Http2ServerRequest;

/** Members of a response of HTTP/1 or HTTP/2 that the console uses. */
export interface Reply {
  readonly writableLength: number;
  readonly destroyed: boolean;
  /** The stream of HTTP/2. */
  readonly stream?: { readonly destroyed: boolean };
  writeHead(status: number, headers: OutgoingHttpHeaders): unknown;
  flushHeaders(): unknown;
  write(text: string): unknown;
  end(body?: string | Uint8Array): unknown;
  destroy(): unknown;
  on(event: "close" | "error", listener: () => void): unknown;
}

export type Listener = (message: Message, reply: Reply) => void;

/**
 * Returns all values of a header, in their order; `name` in lower case. The `:authority` of HTTP/2 is a value of `host`,
 * so that a request with both has two.
 */
export function valuesOf({ rawHeaders }: Pick<Message, "rawHeaders">, name: string): readonly string[] {
  return rawHeaders.filter((_, at) => at % 2 === 1 && plainName(rawHeaders[at - 1] ?? "") === name);
}

function plainName(raw: string): string {
  return raw === ":authority" ? "host" : raw.toLowerCase();
}

/** Whether the client has left. Only the stream of a response of HTTP/2 says so. */
export function isGone({ stream, destroyed }: Reply): boolean {
  return stream?.destroyed ?? destroyed;
}

/** Returns the text before the first separator, and the text behind it; that is empty where there is none. */
export function splitAt(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + separator.length)];
}

/** The headers of every answer: a page of the console runs its own scripts, and no other page can show or read it. */
export const HEADERS: { readonly [name: string]: string } = {
  "Content-Security-Policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; "),
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cache-Control": "no-store",
};
