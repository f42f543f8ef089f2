import { constants } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:https";
import type { SecureContextOptions } from "node:tls";
import type { Clock, Log } from "../../../shared/runtime/ports.ts";
import { type Answer, answering, ONLY_GET, type Target, targetOf } from "../endpoints.ts";
import { LIMITS, type ListenAddress, type Listener, startListener } from "../http-listener.ts";
import { type Metrics, showCertificateEnd } from "../telemetry/metrics.ts";
import { type Admit, createAdmission } from "./admission.ts";
import { endOf, followIdentity, type Identity, type IdentityFiles } from "./identity.ts";
import { createReviews, type Reviewer } from "./reviews.ts";

export interface DiagnosticsOptions extends IdentityFiles {
  readonly address: ListenAddress;
  /** Asks the management API server about tokens. */
  readonly reviewer: Reviewer;
  /** Returns what is at a path. */
  readonly page: (target: Target) => Promise<Answer>;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Serves the pages of the endpoints beyond loopback: TLS, and only to clients that are admitted. A connection carries
 * one request, so that no admission outlives it. Throws when the port is taken or a certificate cannot be used.
 * Source: S-40
 */
export async function startDiagnostics(options: DiagnosticsOptions): Promise<Listener> {
  const { address, reviewer, page, metrics, clock, log } = options;
  const admit = createAdmission(createReviews(reviewer, clock), log);
  await using starting = new AsyncDisposableStack();
  const show = (identity: Identity) => showCertificateEnd(metrics, "diagnostics", endOf(identity));
  const onChange = (identity: Identity): void => {
    server.setSecureContext(contextOf(identity));
    show(identity);
  };
  const identity = starting.use(await followIdentity({ ...options, onChange }));
  show(identity);
  const server = createServer(
    {
      ...LIMITS,
      ...contextOf(identity),
      handshakeTimeout: LIMITS.headersTimeout,
      requestCert: identity.ca !== undefined,
      // Without a certificate that counts a client needs a token.
      rejectUnauthorized: false,
    },
    answering(log, (message) => answerTo(message, admit, page)),
  );
  server.maxRequestsPerSocket = 1;
  const listener = starting.use(await startListener(server, { address, serves: "diagnostics", log }));
  log.info({ port: listener.port }, "diagnostics are served");
  const running = starting.move();
  return { port: listener.port, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

async function answerTo(
  message: IncomingMessage,
  admit: Admit,
  page: DiagnosticsOptions["page"],
): Promise<Answer> {
  if (message.method !== "GET") return ONLY_GET;
  const target = targetOf(message);
  // A closed set: clients cannot make the process ask for any other path.
  if (!PATHS.has(target.path)) return { code: 404, text: `there are ${[...PATHS].join(", ")}\n` };
  return (await admit(message, target.path)) ?? page(target);
}

const PATHS: ReadonlySet<string> = new Set(["/metrics", "/status", "/keys", "/scale"]);

/** Sessions are not resumed: a client shows its certificate each time. */
function contextOf({ key, cert, ca }: Identity): SecureContextOptions {
  return { key, cert, ca, minVersion: "TLSv1.2", secureOptions: constants.SSL_OP_NO_TICKET };
}
