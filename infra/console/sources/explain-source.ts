import type { Kind, ObjectKey } from "../../../shared/api/kinds.ts";
import { MANAGEMENT } from "../../../shared/api/kinds.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import type { DeadLetterHead } from "../../../shared/runtime/letters/dead-letter.ts";
import type { DeadLetters } from "../../../shared/runtime/letters/dead-letters-port.ts";
import type { Clock, Store } from "../../../shared/runtime/ports.ts";
import type { ReadHistory } from "../../../shared/runtime/run-history.ts";
import { explainTree } from "../../explain/explain-tree.ts";
import { withoutLiveReads } from "../../explain/without-live-reads.ts";
import { keptFor } from "../../kept-for.ts";
import type { Explain, ExplainedObject } from "../ports.ts";

export interface ExplainSourceOptions {
  readonly store: Store;
  readonly functions: readonly AnyFunction[];
  readonly history: ReadHistory;
  readonly letters: Pick<DeadLetters, "page">;
  readonly clock: Clock;
}

const EXPLAINED_MS = 2 * SECOND;
const LETTERS_MS = 5 * SECOND;
const LETTERS_AT_ONCE = 1_000;
const MAX_LETTERS = 20_000;
const MAX_KEPT = 500;

/** Explains from snapshots, and each object once in 2 s for all viewers. No live read, no write. Source: W-206 */
export function createExplain({ letters, clock, ...sources }: ExplainSourceOptions): Explain {
  const heads = keptFor(LETTERS_MS, clock, () => headsOf(letters));
  const model = { store: sources.store, clients: withoutLiveReads() };
  const kept = new Map<string, ReturnType<typeof explained>>();
  const explained = (kind: Kind, key: ObjectKey) =>
    keptFor(EXPLAINED_MS, clock, async () => {
      const type = { cluster: MANAGEMENT, group: kind.group, kind: kind.kind };
      const object = await sources.store.get(type, key);
      if (object === undefined) return undefined;
      const deadLetters = await heads();
      const {
        causes,
        health: _,
        ...tree
      } = await explainTree({ ...sources, model, clock, deadLetters }, { kind, object });
      // JSON writes the instants of its states as RFC 3339.
      return { object, tree: tree as unknown as ExplainedObject["tree"], causes };
    });
  return (kind, key) => {
    const name = `${kind.group}/${kind.kind} ${key.namespace}/${key.name}`;
    const found = kept.get(name) ?? explained(kind, key);
    kept.delete(name);
    const [oldest] = kept.keys();
    if (oldest !== undefined && kept.size >= MAX_KEPT) kept.delete(oldest);
    kept.set(name, found);
    return found();
  };
}

async function headsOf(letters: Pick<DeadLetters, "page">): Promise<readonly DeadLetterHead[]> {
  const heads: DeadLetterHead[] = [];
  let after: string | undefined;
  do {
    const page = await letters.page({ limit: LETTERS_AT_ONCE, after });
    heads.push(...page.items);
    after = page.next;
  } while (after !== undefined && heads.length < MAX_LETTERS);
  return heads;
}
