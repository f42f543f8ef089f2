import * as z from "zod";
import { messageOf } from "../../../../shared/function/errors.ts";
import type { CertificateProblem } from "../../../platform/pki/certificate-authority.ts";
import { badRequest, StatusError } from "../errors/status-error.ts";
import type { Answered, Exchange } from "../request/request.ts";
import { type Faults, faultSchema } from "./faults.ts";

/** Deliberate disturbances of a running server. */
export interface Administered {
  /** The faults of single requests; nothing at first. */
  readonly faults: Faults;
  /** Changes the certificate, with TLS: new connections see a certificate with this problem, or a good one again. */
  presentCertificate(problem?: CertificateProblem): Promise<void>;
  /** Cuts watch history so that older versions answer 410. */
  compact(): void;
  /**
   * Breaks every connection but `keep` and continues with the same objects, without history. With `undo` the last so
   * many writes never happened, as after a restore from a backup. Throws when history does not reach back that far.
   */
  restart(how?: { readonly undo?: number | undefined; readonly keep?: Exchange }): Promise<void>;
}

const restartSchema = z.strictObject({ undo: z.int().min(0).optional() });

const certificateSchema = z.strictObject({
  problem: z.enum(["expired", "wrongName", "unknownAuthority"]).optional(),
});

/**
 * Endpoints for tests in other processes, below `/capstan` and with the token of a user who may do
 * everything:
 * `GET|POST|DELETE faults`, `DELETE faults/<id>`, `POST compact`, `POST restart` with
 * `{"undo": <writes>}`, `POST certificate` with `{"problem": "expired"}`.
 * Returns undefined for unknown paths. Throws StatusError 400 for a body that does not fit, 404 for an
 * unknown fault.
 */
export async function administer(
  server: Administered,
  exchange: Exchange,
  [what = "", id, ...more]: readonly string[],
): Promise<Answered | undefined> {
  if (more.length > 0) return undefined;
  const { faults } = server;
  switch (`${exchange.method} ${what}${id === undefined ? "" : "/id"}`) {
    case "GET faults":
      return json(200, { faults: faults.list });
    case "POST faults":
      return json(201, { id: faults.add(await read(exchange, faultSchema)) });
    case "DELETE faults":
      faults.clear();
      return json(200, {});
    case "DELETE faults/id":
      if (!faults.remove(Number(id)))
        throw new StatusError(404, "NotFound", `fault ${id} is not switched on`);
      return json(200, {});
    case "POST certificate":
      await server.presentCertificate((await read(exchange, certificateSchema)).problem);
      return json(200, {});
    case "POST compact":
      server.compact();
      return json(200, {});
    case "POST restart":
      await server.restart({ ...(await read(exchange, restartSchema)), keep: exchange });
      return json(200, {});
    default:
      return undefined;
  }
}

async function read<T>(exchange: Exchange, schema: z.ZodType<T>): Promise<T> {
  const text = (await exchange.readBody()).toString("utf8");
  const parsed = schema.safeParse(parsedJson(text === "" ? "{}" : text));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${issue.path.join(".") || "body"}: ${issue.message}`);
  throw badRequest(problems.join("; "));
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badRequest(`the body is not JSON: ${messageOf(error)}`);
  }
}

function json(code: number, body: object): Answered {
  return { code, text: `${JSON.stringify(body)}\n` };
}
