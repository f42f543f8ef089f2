import { createHash } from "node:crypto";
import type * as z from "zod";
import { messageOf } from "../../shared/function/errors.ts";
import type { Clock, Log } from "../../shared/runtime/ports.ts";
import { oneLine } from "../worker/health.ts";
import type { Interest } from "./interest.ts";
import { splitAt } from "./message.ts";
import type { Ports, RouteContext } from "./ports.ts";
import { Problem, problem } from "./problem.ts";
import { findIn, routesFor, titleOf } from "./routes/match.ts";
import type { Route } from "./routes/route.ts";
import type { Viewer } from "./viewer.ts";

/** Does the work of a route; what its data source throws becomes a Problem that says since when it is so. */
type Watched = <T>(title: string, work: () => Promise<T>) => Promise<T>;

/** Errors of a defect, and not of a server that does not answer. */
const DEFECTS = new Set(["TypeError", "RangeError", "ReferenceError", "SyntaxError"]);

/** Answers the paths below /api/v1, for requests and for topics of a stream. */
export interface Api {
  readonly routes: readonly Route[];
  /** Answers `target`: path and query, `/queue/machine-node/keys?state=dead`. Rejects with a Problem. */
  answer(method: string, target: string, asking: Asking): Promise<Answered>;
  /** Whether a GET is answered when a person asks, and not again by itself. */
  isOnce(target: string): boolean;
}

interface Answered extends Versioned {
  /** Returns which changes make it old. */
  interest(): Interest;
}

interface Asking {
  readonly viewer: Viewer;
  /** The body of a POST: parsed JSON. */
  readonly body?: unknown;
}

/** The routes whose data are there. */
export function createApi(all: readonly Route[], ports: Ports, context: RouteContext): Api {
  const routes = routesFor(all, ports);
  const find = findIn(routes);
  const titles = routes.map(titleOf);
  const outages = createOutages(context);
  return {
    routes,
    async answer(method, target, { viewer, body }) {
      const [path, query] = splitAt(target, "?");
      const { route, params } = find(method, path);
      const { spec } = route;
      const call = {
        viewer,
        params,
        query: checked(spec.query, queryOf(query), "query"),
        body: checked(spec.body, body, "body"),
        ports,
        routes: titles,
      };
      const answer = await outages(titleOf(route), () => route.answer(call, context));
      const stale = method === "GET" ? (ports.fleet?.stale() ?? []) : [];
      return {
        ...versionOf({ ...answer, ...(stale.length === 0 ? {} : { stale }) }, context.clock.now()),
        interest: () => route.interest(call, answer),
      };
    },
    isOnce(target) {
      const path = splitAt(target, "?")[0];
      try {
        return find("GET", path).route.spec.isOnce === true;
      } catch {
        // A stream answers each topic, also one with an unknown path.
        return false;
      }
    },
  };
}

function createOutages({ clock, log }: { readonly clock: Clock; readonly log: Log }): Watched {
  const since = new Map<string, string>();
  const problemOf = (title: string, error: unknown): Problem => {
    if (error instanceof Problem) return error;
    const text = textOf(error);
    if (isDefect(error)) {
      log.error({ route: title, error: text }, "bug: a route of the console failed");
      return problem("internal", "the console has a defect here", "the log of the console says more");
    }
    const begin = since.get(title) ?? clock.now().toISOString();
    if (!since.has(title)) log.warn({ route: title, error: text }, "the console cannot read its data");
    since.set(title, begin);
    const next = "it is tried again by itself";
    return problem("unavailable", `the data cannot be read: ${text}`, next, { since: begin });
  };
  return async (title, work) => {
    try {
      const done = await work();
      since.delete(title);
      return done;
    } catch (error) {
      throw problemOf(title, error);
    }
  };
}

function isDefect(error: unknown): boolean {
  return error instanceof Error && (DEFECTS.has(error.name) || error.message.startsWith("bug:"));
}

function textOf(error: unknown): string {
  return oneLine(messageOf(error));
}

/** An answer as JSON, and its version: that of the data, whatever the time at which they were read. */
export interface Versioned {
  readonly text: string;
  /** An ETag. */
  readonly etag: string;
}

function versionOf(body: object, asOf: Date): Versioned {
  const digest = createHash("sha256").update(JSON.stringify(body)).digest("base64url");
  return {
    text: JSON.stringify({ asOf: asOf.toISOString(), ...body }),
    etag: `"${digest.slice(0, DIGEST_CHARS)}"`,
  };
}
/** 132 bits. */
const DIGEST_CHARS = 22;

const MAX_CHARS = 200;

/** Returns a value that the schema accepts. Throws the Problem that names its first wrong field. */
export function checked(schema: z.ZodType | undefined, value: unknown, where: "query" | "body"): unknown {
  if (schema === undefined) {
    const names = Object.keys(Object(value));
    if (names.length === 0) return undefined;
    throw invalid(names[0] ?? "", `this path takes no ${where}`);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join(".") ?? "";
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys[0] : undefined;
  throw invalid(unknown ?? field, issue?.message ?? "it is malformed");
}

function invalid(field: string, message: string) {
  const name = field.slice(0, MAX_CHARS);
  const text = name === "" ? message : `${name}: ${message}`;
  return problem("invalidField", text.slice(0, 2 * MAX_CHARS), "openapi.json describes each field", {
    ...(name === "" ? {} : { field: name }),
  });
}

/** Parameters of a query. One that comes twice is refused. */
function queryOf(text: string): object {
  const given = new URLSearchParams(text);
  const twice = [...given.keys()].find((name) => given.getAll(name).length > 1);
  if (twice !== undefined) throw invalid(twice, "it is given more than once");
  return Object.fromEntries(given);
}
