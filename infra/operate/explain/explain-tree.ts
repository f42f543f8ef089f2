import { tenantOf } from "../../../shared/api/indexes.ts";
import { type Kind, type KubeObject, titleOf } from "../../../shared/api/kinds.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import { reconcilersOf } from "../../../shared/function/reconcilers.ts";
import type { DeadLetterHead } from "../../../shared/runtime/letters/dead-letter.ts";
import type { KeyHistory, ReadHistory } from "../../../shared/runtime/letters/run-history.ts";
import type { Clock, KubeClient } from "../../../shared/runtime/ports.ts";
import { formatKey, parseKey } from "../../../shared/runtime/queue/key.ts";
import { type Freshness, readFreshness } from "../../../shared/runtime/read/signs.ts";
import { fieldOwners } from "../../platform/kube/take-over.ts";
import { type ExplainedHealth, explainHealth } from "./explain-health.ts";
import { explainStep, type ReadSources, type StepNow } from "./explain-step.ts";
import { factsOf, type ObjectFacts } from "./object-facts.ts";
import { type ObjectNode, objectTree } from "./object-tree.ts";
import type { KeyTrouble, Problem } from "./problem.ts";
import { problemsOf } from "./problems.ts";
import { silenceProblems, workerProblems } from "./problems-of-platform.ts";
import { type LeftOut, leftOutOf } from "./siblings.ts";
import type { ReadUnserved } from "./unserved.ts";
import { withConfigurations } from "./webhook-configurations.ts";

/** An object, the state of every function for it, and the same for every object that belongs to it. */
export interface Explained extends ObjectFacts {
  readonly functions: readonly ExplainedFunction[];
  readonly children: readonly Explained[];
  readonly more: readonly LeftOut[];
}

export interface ExplainedFunction {
  readonly function: string;
  readonly key: string;
  /** Result of the step if it ran now. */
  readonly now: StepNow;
  /** State in the queue and the last run; absent where queue and workers cannot be reached. */
  readonly history?: KeyHistory;
  /** Fields that it has written to this object, from the API server's managedFields. */
  readonly lastWrote?: LastWrite;
  readonly deadLetter?: DeadLetterHead;
}

interface LastWrite {
  /** RFC 3339; absent: the API server does not say. */
  readonly at?: string;
  /** That it manages, the newest first. */
  readonly fields: readonly string[];
}

export interface ExplainSources {
  readonly model: ReadSources & {
    /** The client for the managers of fields, which no snapshot has; absent where nothing is read live. */
    readonly live?: Pick<KubeClient, "get" | "list">;
    /** Reads the freshness; default: that of the read model alone. */
    readonly readFreshness?: (now: Date) => Promise<Freshness>;
  };
  readonly functions: readonly AnyFunction[];
  readonly clock: Clock;
  /** The history of runs; absent without a queue to ask. */
  readonly history: ReadHistory | undefined;
  readonly deadLetters: readonly DeadLetterHead[];
  /** Reads which functions no process serves; absent where that is not known. */
  readonly unserved?: ReadUnserved | undefined;
}

/** Form of `-o json`. */
export interface ExplainedTree extends Explained {
  /** When all of it was the case, RFC 3339: nothing here is older. Absent: nothing is known to be current. */
  readonly asOf?: string;
  /** The roots that must be mended, in their order. */
  readonly causes: readonly Problem[];
  /** The health of a MachineHealthCheck, and of a Machine that health checks select. */
  readonly health?: readonly ExplainedHealth[];
}

export async function explainTree(
  sources: ExplainSources,
  root: { readonly kind: Kind; readonly object: KubeObject },
): Promise<ExplainedTree> {
  const { clock, functions, model } = sources;
  const tree = await objectTree(model.store, functions, root, deadObjects(sources.deadLetters));
  const health = await explainHealth(sources, root);
  const readFresh = model.readFreshness ?? ((now: Date) => readFreshness(model.store, now));
  const freshness = await readFresh(clock.now());
  const [oldest] = freshness.silences;
  const asOf = oldest === undefined ? clock.now().toISOString() : oldest.since;
  const { store, clients } = model;
  const stepSources = { store, clients, clock, freshness };
  const explaining = { ...sources, freshness, stepSources, letters: lettersOf(sources) };
  const explained = await explainNode(explaining, tree);
  const platform = [...silenceProblems(freshness), ...(await workersMissing(sources, explained))];
  const facts = { now: clock.now(), troubles: troublesIn(explained), platform };
  const found = problemsOf(store, tree, facts);
  return {
    ...(asOf === undefined ? {} : { asOf }),
    ...explained,
    causes: await (model.live === undefined ? found : withConfigurations(await found, model.live)),
    ...(health.length === 0 ? {} : { health }),
  };
}

/** Returns the functions that no worker serves and for which a key of a tree is ready. */
async function workersMissing({ unserved }: ExplainSources, root: Explained): Promise<readonly Problem[]> {
  const isReady = (node: Explained, name: string): boolean =>
    node.functions.some((fn) => fn.function === name && fn.history?.state?.state === "ready") ||
    node.children.some((child) => isReady(child, name));
  // Where the processes are not known, everything else is still said.
  const found = (await unserved?.().catch(() => [])) ?? [];
  return workerProblems(found.filter(({ function: name }) => isReady(root, name)));
}

/** The objects of dead keys: `Machine default/m1`. */
function deadObjects(letters: readonly DeadLetterHead[]): ReadonlySet<string> {
  return new Set(
    letters.flatMap(({ key }) => {
      const parts = parseKey(key);
      return parts === undefined ? [] : [titleOf(parts.kind, parts)];
    }),
  );
}

/** The keys of a tree that fail, by the queue, or by their letters where it cannot be asked. */
function troublesIn({ functions, children }: Explained): readonly KeyTrouble[] {
  const own = functions.flatMap(({ function: name, key, history, deadLetter }): readonly KeyTrouble[] => {
    const { state } = history ?? {};
    const failure = state?.failure ?? deadLetter?.error;
    if (failure === undefined) return [];
    const isDead = state === undefined ? deadLetter !== undefined : state.state === "dead";
    const since = isDead ? (deadLetter?.deadSince ?? state?.since?.toISOString()) : undefined;
    const failures = state?.failures ?? 1;
    return [{ function: name, key, isDead, failures, failure, since, until: state?.until?.toISOString() }];
  });
  return [...own, ...children.flatMap(troublesIn)];
}

interface Explaining extends ExplainSources {
  readonly freshness: Freshness;
  readonly stepSources: Parameters<typeof explainStep>[2];
  readonly letters: ReadonlyMap<string, DeadLetterHead>;
}

function lettersOf({ deadLetters }: ExplainSources): Explaining["letters"] {
  return new Map(deadLetters.map((head) => [`${head.function} ${head.key}`, head]));
}

async function explainNode(sources: Explaining, node: ObjectNode): Promise<Explained> {
  const [functions, children] = await Promise.all([
    explainFunctions(sources, node),
    Promise.all(node.children.map((child) => explainNode(sources, child))),
  ]);
  const { freshness, clock } = sources;
  return {
    ...factsOf(node, freshness, clock.now()),
    functions,
    children,
    more: leftOutOf(node.more, freshness),
  };
}

async function explainFunctions(
  sources: Explaining,
  node: ObjectNode,
): Promise<readonly ExplainedFunction[]> {
  const { object, kind } = node;
  const own = reconcilersOf(sources.functions, kind);
  if (object === undefined || own.length === 0) return [];
  const writes = await lastWrites(sources, node);
  return Promise.all(
    own.map(async (fn) => {
      const { name } = fn.spec;
      const key = formatKey({ ...node.key, kind: kind.kind, tenant: tenantOf(fn.spec.reconciles, object) });
      const now = await explainStep(fn, { key, object }, sources.stepSources);
      const history = await sources.history?.(name, key);
      const lastWrote = writes.get(`capstan-${name}`);
      const deadLetter = sources.letters.get(`${name} ${key}`);
      return {
        function: name,
        key,
        now,
        ...(history === undefined ? {} : { history }),
        ...(lastWrote === undefined ? {} : { lastWrote }),
        ...(deadLetter === undefined ? {} : { deadLetter }),
      };
    }),
  );
}

/** Reads the last writes, by field manager. The read model keeps no managedFields, so this is one request. */
async function lastWrites(
  { model }: ExplainSources,
  { kind, key }: ObjectNode,
): Promise<ReadonlyMap<string, LastWrite>> {
  // A user without the right to read the object live still sees everything else.
  const live = await model.live?.get(kind, key).catch(() => undefined);
  const managed: unknown = live === undefined ? undefined : Reflect.get(live.metadata, "managedFields");
  const writes = new Map<string, LastWrite>();
  const owners = fieldOwners(Array.isArray(managed) ? managed : []);
  for (const { manager, field, time } of owners.toSorted((a, b) => (a.time > b.time ? -1 : 1))) {
    const { at = time, fields = [] } = writes.get(manager) ?? {};
    writes.set(manager, { ...(at === "" ? {} : { at }), fields: [...fields, field] });
  }
  return writes;
}
