import { MANAGEMENT, type ObjectKey, titleOf } from "../../../shared/api/kinds.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import { parseKey } from "../../../shared/runtime/key.ts";
import type { DeadLetters } from "../../../shared/runtime/letters/dead-letters-port.ts";
import type { Store } from "../../../shared/runtime/ports.ts";
import { RUN_ID, type RunHistory } from "../../../shared/runtime/run-history.ts";
import { shownKinds } from "../../explain/object-tree.ts";
import type { SearchAnswer } from "../api/search.ts";
import { type Sight, sees } from "../viewer.ts";
import type { FleetIndex } from "./fleet-index.ts";

export interface SearchSources {
  readonly fleet: Pick<FleetIndex, "page">;
  readonly store: Pick<Store, "get">;
  readonly functions: readonly AnyFunction[];
  readonly letters?: Pick<DeadLetters, "page"> | undefined;
  readonly runs?: Pick<RunHistory, "find"> | undefined;
}

type Found = SearchAnswer["items"][number];

const MAX_FOUND = 20;
const MAX_QUERY_CHARS = 200;
/** Letters that one search looks at. */
const MAX_LETTERS = 2_000;
const LETTERS_AT_ONCE = 1_000;

/**
 * Finds Clusters, objects by `NAMESPACE/NAME`, functions, dead letters, and runs by their whole id in what a viewer sees;
 * at most 20, those that are called so first, then those whose names begin so.
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
  const place = (one: Found): number => nearness(one.title.toLowerCase(), text.toLowerCase());
  return found.toSorted((a, b) => place(a) - place(b)).slice(0, MAX_FOUND);
}

/** 0: it is called so; 1: its name begins so; 2: its name contains it; 3: something else of it does. */
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

/** `NAMESPACE/NAME`, of any kind that trees show, or of the kind in front of it. */
async function objectsNamed(
  { store, functions }: SearchSources,
  q: string,
  sight: Sight,
): Promise<readonly Found[]> {
  const [, kindName, namespace, name] = /^(?:(\w+)\s+)?([^\s/]+)\/([^\s/]+)$/.exec(q) ?? [];
  if (namespace === undefined || name === undefined || !sees({ sight }, namespace)) return [];
  const key: ObjectKey = { namespace, name };
  const kinds = shownKinds(functions).filter(
    ({ kind }) =>
      kind !== "Cluster" && (kindName === undefined || kind.toLowerCase() === kindName.toLowerCase()),
  );
  const objects = await Promise.all(
    kinds.map(({ group, kind }) => store.get({ cluster: MANAGEMENT, group, kind }, key)),
  );
  return kinds.flatMap(({ kind }, at) =>
    objects[at] === undefined ? [] : [{ place: { type: "object", kind, ...key }, title: titleOf(kind, key) }],
  );
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
