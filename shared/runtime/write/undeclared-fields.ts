import { apiVersionOf, type Kind } from "../../api/kinds.ts";
import { segmentsOf } from "../../api/path.ts";
import { MINUTE } from "../../function/backoff.ts";
import { KubeError } from "../../function/errors.ts";
import type { Clock, Log } from "../ports.ts";

/** Time until a status is applied whole again: its definition may have been replaced. */
const KEPT_MS = 10 * MINUTE;

/**
 * Fields of a status that the server's definition lacks, such as that of an earlier release of Cluster API, by type as
 * the server writes it. The server refuses the whole apply for one of them. One map for a process.
 */
export type UndeclaredFields = Map<string, { readonly paths: readonly string[]; readonly notedAt: Date }>;

interface Known {
  readonly undeclared?: UndeclaredFields | undefined;
  readonly clock: Pick<Clock, "now">;
}

/** Notes the fields for which the server has refused to apply a status. Returns whether these were why it has. */
export function noteUndeclared(error: unknown, context: Known & { readonly log: Log }): boolean {
  if (context.undeclared === undefined || !(error instanceof KubeError)) return false;
  const type = /; ([\w./-]+, Kind=\w+)\)/.exec(error.message)?.[1] ?? "";
  const refused = [...error.message.matchAll(/ \.(status\.[\w.]+): field not declared in schema/g)];
  if (refused.length === 0) return false;
  const known = pathsOf(type, context);
  const paths = [...new Set([...known, ...refused.map(([, path = ""]) => path)])];
  context.undeclared.set(type, { paths, notedAt: context.clock.now() });
  if (paths.length > known.length)
    context.log.warn(
      { type, fields: paths },
      "these fields stay empty: the definition on the server lacks them",
    );
  return true;
}

type Json = { readonly [field: string]: unknown };

/** Returns what an apply sends without the fields that its definition is known to lack. */
export function declaredPart(body: Json, kind: Kind, context: Known): Json {
  const paths = pathsOf(`${apiVersionOf(kind)}, Kind=${kind.kind}`, context);
  return paths.reduce((part, path) => without(part, segmentsOf(path)), body);
}

function pathsOf(type: string, { undeclared, clock }: Known): readonly string[] {
  const { paths = [], notedAt } = undeclared?.get(type) ?? {};
  return notedAt !== undefined && clock.now().getTime() - notedAt.getTime() < KEPT_MS ? paths : [];
}

/** Removes a field, and parents that have nothing left: many definitions want at least one. */
function without(value: Json, [head = "", ...below]: readonly string[]): Json {
  const { [head]: inner, ...others } = value;
  if (below.length === 0 || typeof inner !== "object" || inner === null) return others;
  const left = without(inner as Json, below);
  return Object.keys(left).length === 0 ? others : { ...others, [head]: left };
}
