import type { IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";
import { messageOf } from "../../../shared/function/errors.ts";
import type { Log } from "../../../shared/runtime/ports.ts";
import type { Reviews } from "./reviews.ts";

/** The answer to a client that may not read a page. */
interface Refusal {
  readonly code: 400 | 401 | 403 | 503;
  readonly text: string;
}

/** Returns why the sender of a request may not read `path`; undefined when it may. Never rejects. */
export type Admit = (message: IncomingMessage, path: string) => Promise<Refusal | undefined>;

/**
 * Admits clients with a certificate of the authority that the listener trusts, and those whose bearer token the API
 * server knows and allows to get the path. When the API server does not answer, all other clients are refused.
 */
export function createAdmission(reviews: Reviews, log: Log): Admit {
  let outage = false;
  const note = (error: unknown): void => {
    const text = messageOf(error);
    if (!outage) log.warn({ error: text }, `diagnostics: clients with tokens are refused; ${ADVICE}`);
    outage = true;
  };
  const review = async (token: string, path: string): Promise<Refusal | undefined> => {
    const user = await reviews.userOf(token);
    if (user === undefined) return refusal(401, "the API server does not accept this token");
    if (await reviews.mayGet(user, path)) return undefined;
    return refusal(403, `${oneLine(user.username)} may not get ${path}: ${GRANT}`);
  };
  return async (message, path) => {
    const { socket } = message;
    if (isFromPage(message)) return refusal(403, "requests of web pages are refused");
    if (message.headersDistinct["host"]?.length !== 1) return refusal(400, "send one Host header");
    if (socket instanceof TLSSocket && socket.authorized) return undefined;
    const token = tokenOf(message);
    if (token === undefined) return refusal(401, `${certificateText(socket)}${SEND}`);
    try {
      const refused = await review(token, path);
      outage = false;
      return refused;
    } catch (error) {
      note(error);
      return refusal(503, "the API server has not reviewed the token; try again");
    }
  };
}

const SEND = "send a bearer token, or a client certificate of the authority that this listener trusts";
const ADVICE =
  "the API server must answer, and the account needs the ClusterRole system:auth-delegator to ask it";
const GRANT = "bind a ClusterRole with the verb get on this nonResourceURL";

/** Pages of browsers: their certificates would be used on behalf of any site. */
function isFromPage({ headers }: IncomingMessage): boolean {
  return headers.origin !== undefined || headers["sec-fetch-site"] !== undefined;
}

/** Returns the token of RFC 6750: the token68 of a header `Authorization: Bearer TOKEN`. */
export function tokenOf({ headers }: Pick<IncomingMessage, "headers">): string | undefined {
  return /^bearer +([\w\-.~+/]+=*)$/i.exec(headers.authorization ?? "")?.[1];
}

/** A client that has sent a certificate learns why it does not count. */
function certificateText(socket: IncomingMessage["socket"]): string {
  if (!(socket instanceof TLSSocket) || socket.getPeerCertificate().raw === undefined) return "";
  return `the client certificate is not accepted (${String(socket.authorizationError)}); `;
}

function refusal(code: Refusal["code"], text: string): Refusal {
  return { code, text: `${text}\n` };
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\s]+/gu, " ").slice(0, 200);
}
