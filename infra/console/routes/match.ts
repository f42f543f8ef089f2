import type { Ports } from "../ports.ts";
import { type Problem, problem } from "../problem.ts";
import type { Route } from "./route.ts";

interface Match {
  readonly route: Route;
  readonly params: { readonly [name: string]: string };
}

/** Finds the route of a path below /api/v1; throws the Problem that there is none. */
export type FindRoute = (method: string, path: string) => Match;

/** Most characters of a parameter; a key has at most 480. */
const MAX_PARAM_CHARS = 480;

/** The routes whose data are there. */
export function routesFor(routes: readonly Route[], ports: Ports): readonly Route[] {
  return routes.filter(({ spec }) => spec.needs.every((name) => ports[name] !== undefined));
}

export function titleOf({ spec }: Route): string {
  return `${spec.method} ${spec.path}`;
}

export function findIn(routes: readonly Route[]): FindRoute {
  const patterns = routes.map((route) => ({ route, parts: partsOf(route.spec.path) }));
  return (method, path) => {
    const parts = partsOf(path).map(decoded);
    const found = patterns.filter((one) => fits(one.parts, parts));
    const exact = found.find(({ route }) => route.spec.method === method);
    if (exact !== undefined) return { route: exact.route, params: paramsOf(exact.parts, parts) };
    throw found.length === 0 ? unknownPath(routes) : wrongMethod(found.map(({ route }) => route.spec.method));
  };
}

function partsOf(path: string): readonly string[] {
  return path.split("/").slice(1);
}

/** Each part by itself: a key holds slashes. */
function decoded(part: string): string {
  let text: string;
  try {
    text = decodeURIComponent(part);
  } catch {
    throw problem(
      "badRequest",
      "a part of the path is not percent-encoded UTF-8",
      "encode each part by itself",
    );
  }
  if (text !== "" && text.length <= MAX_PARAM_CHARS) return text;
  throw problem(
    "badRequest",
    `a part of the path is empty or longer than ${MAX_PARAM_CHARS} characters`,
    "check the path",
  );
}

function nameIn(part: string): string | undefined {
  return /^\{(.*)\}$/.exec(part)?.[1];
}

function fits(pattern: readonly string[], parts: readonly string[]): boolean {
  return (
    pattern.length === parts.length &&
    pattern.every((part, at) => nameIn(part) !== undefined || part === parts[at])
  );
}

function paramsOf(pattern: readonly string[], parts: readonly string[]): Match["params"] {
  const named = pattern.flatMap((part, at) => {
    const name = nameIn(part);
    return name === undefined ? [] : [[name, parts[at] ?? ""] as const];
  });
  return Object.fromEntries(named);
}

function unknownPath(routes: readonly Route[]): Problem {
  const paths = [...new Set(routes.map(({ spec }) => spec.path))].join(", ");
  return problem(
    "notFound",
    "this server has no such path",
    `there are ${paths} below /api/v1; GET openapi.json describes them`,
  );
}

function wrongMethod(methods: readonly string[]): Problem {
  return problem("methodNotAllowed", "this path does not take the method", `send ${methods.join(" or ")}`);
}
