import { kindNames, titleOf } from "../../../shared/api/kinds.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import type { DeadLetters } from "../../../shared/runtime/letters/dead-letters-port.ts";
import { RUN_ID, type RunHistory } from "../../../shared/runtime/letters/run-history.ts";
import type { NamePart, Store } from "../../../shared/runtime/ports.ts";
import { parseKey } from "../../../shared/runtime/queue/key.ts";
import { managementType } from "../../../shared/runtime/read/management-type.ts";
import { shownKinds } from "../../operate/explain/object-tree.ts";
import type { SearchAnswer } from "../api/page.ts";
import { type Sight, sees } from "../viewer.ts";
import type { FleetIndex } from "./fleet-index.ts";

export interface SearchSources {
  readonly fleet: Pick<FleetIndex, "page">;
  readonly store: Pick<Store, "named">;
  readonly functions: readonly AnyFunction[];
  readonly letters?: Pick<DeadLetters, "page"> | undefined;
  readonly runs?: Pick<RunHistory, "find"> | undefined;
}

type Found = SearchAnswer["items"][number];

const MAX_FOUND = 20;
const MAX_QUERY_CHARS = 200;
/** Objects of one kind that one search ranks. */
const MAX_NAMED = 2_000;
/** Letters that one search looks at. */
const MAX_LETTERS = 2_000;
const LETTERS_AT_ONCE = 1_000;
/** `machineset/demo-workers`, `machineset demo-workers`. */
const WITH_FIRST = /^([\w.-]+)[\s/]+(.+)$/;

/**
 * Finds Clusters, objects, functions and dead letters by a part of their names, and runs by their whole id, in what a
 * viewer sees; at most 20, those that are called so first, then those whose names begin so.
 */
export async function search(
  sources: SearchSources,
  { q, sight }: { readonly q: string; readonly sight: Sight },
): Promise<readonly Found[]> {
  const text = q.trim().slice(0, MAX_QUERY_CHARS);
  if (text === "") return [];
  const [objects, letters, runs] = await Promise.all([
    objectsNamed(sources, text, sight),
    lettersNamed(sources, text, sight),
    runsNamed(sources, text, sight),
  ]);
  const found = [
    ...runs,
    ...clustersNamed(sources, text, sight),
    ...objects,
    ...functionsNamed(sources, text),
    ...letters,
  ];
  // The first word may be a kind, or a namespace.
  const wanted = [text, text.replace(WITH_FIRST, "$2")].map((each) => each.toLowerCase());
  const place = ({ title }: Found): number =>
    Math.min(...wanted.map((each) => nearness(title.toLowerCase(), each)));
  return found.toSorted((a, b) => place(a) - place(b)).slice(0, MAX_FOUND);
}

/** Returns how near it is. 0: it is called so; 1: its name begins so; 2: it contains it; 3: something else does. */
function nearness(title: string, text: string): number {
  const names = [title, ...title.split(/[ |]/), ...title.split(/[ |/]/)];
  if (names.includes(text)) return 0;
  if (names.some((name) => name.startsWith(text))) return 1;
  return title.includes(text) ? 2 : 3;
}

function clustersNamed({ fleet }: SearchSources, q: string, sight: Sight): readonly Found[] {
  return fleet.page({ sight, q, limit: MAX_FOUND }).items.map(({ namespace, name, state, reason }) => ({
    place: { type: "cluster", namespace, name },
    title: titleOf("Cluster", { namespace, name }),
    hint: reason ?? state,
  }));
}

/** Finds objects by `PART`, `NAMESPACE/PART`, and either behind a kind as in kubectl: `machineset/demo-workers`. */
async function objectsNamed(
  { store, functions }: SearchSources,
  q: string,
  sight: Sight,
): Promise<readonly Found[]> {
  const kinds = shownKinds(functions).filter(({ kind }) => kind !== "Cluster");
  const [, first = "", rest = ""] = WITH_FIRST.exec(q) ?? [];
  const asked = kinds.filter((kind) => kindNames(kind).includes(first.toLowerCase()));
  const places = [
    ...kinds.map((kind) => ({ kind, text: q })),
    ...asked.map((kind) => ({ kind, text: rest })),
  ];
  const found = await Promise.all(
    places.map(async ({ kind, text }) => {
      const keys = await store.named(managementType(kind), namePart(text), MAX_NAMED);
      const seen = keys.filter(({ namespace }) => sees({ sight }, namespace));
      return seen.map((key) => ({
        place: { type: "object" as const, kind: kind.kind, ...key },
        title: titleOf(kind.kind, key),
      }));
    }),
  );
  return found.flat();
}

function namePart(text: string): NamePart {
  const [first = "", ...others] = text.split("/");
  return others.length === 0 ? { part: first } : { namespace: first, part: others.join("/") };
}

function functionsNamed({ functions }: SearchSources, q: string): readonly Found[] {
  return functions
    .filter(({ spec }) => spec.name.includes(q.toLowerCase()))
    .slice(0, MAX_FOUND)
    .map(({ spec }) => ({
      place: { type: "function", function: spec.name },
      title: spec.name,
      hint: spec.summary,
    }));
}

async function runsNamed({ runs }: SearchSources, q: string, sight: Sight): Promise<readonly Found[]> {
  if (!RUN_ID.test(q)) return [];
  const found = await runs?.find(q);
  const parts = found && parseKey(found.key);
  if (found === undefined || parts === undefined || !sees({ sight }, parts.namespace)) return [];
  return [
    {
      place: { type: "run", ...found, runId: q },
      title: q,
      hint: `${found.function} for ${titleOf(parts.kind, parts)}`,
    },
  ];
}

async function lettersNamed({ letters }: SearchSources, q: string, sight: Sight): Promise<readonly Found[]> {
  const found: Found[] = [];
  let after: string | undefined;
  for (let seen = 0; letters !== undefined && seen < MAX_LETTERS; seen += LETTERS_AT_ONCE) {
    const { items, next } = await letters.page({ limit: LETTERS_AT_ONCE, after });
    for (const { function: name, key, error } of items) {
      const namespace = parseKey(key)?.namespace;
      if (!key.includes(q) || namespace === undefined || !sees({ sight }, namespace)) continue;
      found.push({
        place: { type: "letter", function: name, key },
        title: `${name} ${key}`,
        hint: error.message,
      });
      if (found.length >= MAX_FOUND) return found;
    }
    if (next === undefined) return found;
    after = next;
  }
  return found;
}
