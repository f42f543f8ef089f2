import { constants } from "node:crypto";
import {
  createSecureServer,
  type Http2SecureServer,
  constants as http2,
  type ServerHttp2Stream,
} from "node:http2";
import type { SecureContextOptions } from "node:tls";
import { SECOND } from "../../../shared/function/backoff.ts";
import { followIdentity, type Identity } from "../../worker/diagnostics/identity.ts";
import { LIMITS } from "../../worker/http-listener.ts";
import type { ConsoleOptions } from "../console-options.ts";
import type { Listener } from "../message.ts";

/** A connection without a frame for so long is ended. An open stream has a ping every 15 s. */
const SILENCE_MS = 30 * SECOND;
/** The most requests on one connection, which all tabs of a browser share; one person may have 50 streams. */
const MAX_REQUESTS = 100;
/** A browser that leaves a page resets its requests. Beyond these its connection is ended. */
const RESETS = { streamResetBurst: 200, streamResetRate: 20 } as const;

type Options = Pick<ConsoleOptions, "certDir" | "clock" | "log">;

/**
 * Creates a server for HTTP/2, and for HTTP/1 where a client does not speak it: browsers allow six connections of HTTP/1
 * for all tabs. Both have the same limits of heads and times. `starting` ends the look for new certificates. Throws when
 * the certificate cannot be used.
 */
export async function createServerWithTls(
  options: Options,
  answering: Listener,
  starting: AsyncDisposableStack,
): Promise<Http2SecureServer> {
  const onChange = (next: Identity): void => server.setSecureContext(contextOf(next));
  const identity = starting.use(await followIdentity({ ...options, onChange }));
  const server = createSecureServer({
    ...LIMITS,
    ...RESETS,
    ...contextOf(identity),
    allowHTTP1: true,
    handshakeTimeout: LIMITS.headersTimeout,
    settings: { maxConcurrentStreams: MAX_REQUESTS, maxHeaderListSize: LIMITS.maxHeaderSize },
  });
  server.setTimeout(SILENCE_MS);
  server.on("stream", boundBody);
  server.on("request", answering);
  return server;
}

/**
 * HTTP/1 has these limits by itself: a client that sends its body byte by byte would hold the request for ever, and what
 * remains of a body after the answer is not wanted.
 */
function boundBody(stream: ServerHttp2Stream): void {
  if (stream.endAfterHeaders) return;
  const timer = setTimeout(() => stream.close(http2.NGHTTP2_CANCEL), LIMITS.requestTimeout);
  const received = (): void => clearTimeout(timer);
  stream.on("end", received);
  stream.on("close", received);
  stream.on("finish", () => stream.close());
}

function contextOf({ key, cert }: Identity): SecureContextOptions {
  return { key, cert, minVersion: "TLSv1.2", secureOptions: constants.SSL_OP_NO_TICKET };
}
