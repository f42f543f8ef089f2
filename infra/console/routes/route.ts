import type * as z from "zod";
import type { Shape } from "../api/page.ts";
import type { Interest } from "../interest.ts";
import type { Ports, RouteContext } from "../ports.ts";
import type { Viewer } from "../viewer.ts";

type PortName = keyof Ports;

/** One path of the API, as openapi.json describes it. */
export interface RouteSpec {
  readonly method: "GET" | "POST";
  /** The path below /api/v1, with parameters in braces: `/queue/{function}/keys`. */
  readonly path: string;
  /** One sentence. */
  readonly summary: string;
  /** Ports without which it does not exist. */
  readonly needs: readonly PortName[];
  /** A live read, or a replay: the stream leaves it out, so that it is made when a person asks and not again. */
  readonly isOnce?: true;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  readonly answer: z.ZodType;
}

interface Call<S extends RouteSpec> {
  readonly viewer: Viewer;
  /** Each decoded, not empty, and at most 480 characters. */
  readonly params: { readonly [name: string]: string };
  readonly query: S["query"] extends z.ZodType ? Shape<S["query"]> : undefined;
  readonly body: S["body"] extends z.ZodType ? Shape<S["body"]> : undefined;
  readonly ports: { readonly [N in S["needs"][number]]-?: NonNullable<Ports[N]> };
  /** Paths of this server: `GET /queue`. */
  readonly routes: readonly string[];
}

/** Members that the server adds. */
type Answered<S extends RouteSpec> = Omit<Shape<S["answer"]>, "asOf">;

export interface Route {
  readonly spec: RouteSpec;
  /** Rejects with a Problem. */
  readonly answer: (call: AnyCall, context: RouteContext) => Promise<object>;
  /** Which changes make an answer old, for the stream. */
  readonly interest: (call: AnyCall, answer: object) => Interest;
}

interface AnyCall extends Omit<Call<RouteSpec>, "query" | "body" | "ports"> {
  readonly query: unknown;
  readonly body: unknown;
  readonly ports: Ports;
}

/**
 * A route: its spec, then how it answers, then which changes make the answer old (none: it is read once a minute while a
 * page shows it). The server has checked parameters and body by the spec before.
 */
export function defineRoute<const S extends RouteSpec>(
  spec: S,
  answer: (call: Call<S>, context: RouteContext) => Promise<Answered<S>>,
  interest: (call: Call<S>, answer: Answered<S>) => Interest = () => ({}),
): Route {
  // One list holds routes of all shapes; `createApi` gives each what its spec has checked.
  return {
    spec,
    answer: answer as unknown as Route["answer"],
    interest: interest as unknown as Route["interest"],
  };
}
