import { Cluster } from "../api/cluster/cluster.ts";
import { CustomResourceDefinition } from "../api/core.ts";
import { type Kind, type KubeObject, objectKeyOf } from "../api/kinds.ts";
import type { FieldPath } from "../api/path.ts";
import type { ContractKind } from "../contract/contract-kind.ts";
import { CONTRACT_FIELDS } from "../contract/version.ts";
import { clusterKeyOf, type Guard, PAUSING_FIELDS, readCluster, refusedBy } from "./guards.ts";
import type { HealthReport } from "./health-report.ts";
import { inCluster, inClusterOf, itself, referencing, referencingKind } from "./mappings.ts";
import { done, type Result } from "./result.ts";
import {
  type AnyFunction,
  type Decision,
  type FunctionSpec,
  type StepContext,
  type Turn,
  type Watch,
  watch,
  watchContract,
} from "./spec.ts";

// Everything that a function is written with comes through this file.
export { MINUTE, SECOND } from "./backoff.ts";
export * from "./guards.ts";
export * from "./health-check-mappings.ts";
export * from "./mappings.ts";
export type * from "./reads.ts";
export * from "./resource-set-mappings.ts";
export * from "./result.ts";
export * from "./spec.ts";

/** The object and its Cluster as the API server has them. */
interface Live<T, C> {
  readonly object: T;
  readonly cluster: C;
}

/** The Cluster that a step gets: it exists where `when` says so. */
type ClusterOf<W extends readonly unknown[]> = [Extract<W[number], { readonly proves: "cluster" }>] extends [
  never,
]
  ? Cluster | undefined
  : Cluster;

/** Facts that a step gets beside the object. */
interface Given<T, C> extends StepContext {
  /** The Cluster as snapshots show it; it is read where a guard asks for it. */
  readonly cluster: C;
  /**
   * Reads the object and its Cluster from the API server. A guard that refuses them, and an object that is gone, give a
   * result: then the step returns that.
   */
  readonly live: () => Promise<Live<T, C> | { readonly result: Result }>;
}

/** A spec as its author writes it: each fact once. `defineFunction` adds what follows from it. */
interface Declaration<T extends KubeObject, Owned extends string, W extends readonly unknown[]>
  extends Omit<FunctionSpec<T, Owned>, "owns" | "contested" | "watches" | "inTurnWith"> {
  /** Asked in this order before the step runs. Their fields are watched. */
  readonly when?: W;
  /** Returns what is written about an object that is paused, which the guard `unpaused` then leaves alone. */
  readonly whilePaused?: (
    object: NoInfer<T>,
    given: { readonly cluster: ClusterOf<W>; readonly now: Date },
  ) => Pick<Decision<T, Owned>, "apply" | "own">;
  readonly watches: readonly (Watch | readonly Watch[])[];
  readonly inTurnWith?: readonly (Turn | readonly Turn[])[];
  /**
   * The live view takes the Cluster from snapshots, and a pause counts as soon as they show it: before anything is made or
   * deleted by what this function writes, another one asks the API server.
   */
  readonly clusterMayLag?: true;
  /** The finalizer that this function removes at the end of a deletion, and that `guard` of this kind has added. */
  readonly releases?: string;
}

/**
 * Declares a function: what it reconciles, what wakes it, what it owns (data), and the one step it runs (code), which
 * `when` guards. The compiler checks the paths in `owns` and `contested` and that every Decision names every owned field.
 */
export function defineFunction<
  T extends KubeObject,
  const Owned extends string = never,
  const Contested extends readonly string[] = readonly [],
  const W extends readonly Guard<never>[] = readonly [],
>(
  declaration: Declaration<T, Owned, W> & {
    readonly owns?: readonly (Owned & FieldPath<T, Owned>)[];
    readonly contested?: Contested & { readonly [I in keyof Contested]: FieldPath<T, Contested[I]> };
  },
  step: (object: T, given: Given<T, ClusterOf<W>>) => Promise<Decision<T, Owned>>,
  report?: (object: T, context: StepContext) => Promise<HealthReport>,
): AnyFunction {
  const { when, whilePaused, clusterMayLag, releases, ...rest } = declaration;
  const guards = (when ?? []) as readonly Guard[];
  const spec = { owns: [], ...rest, ...derived(declaration as unknown as AnyDeclaration, guards) };
  const guarded = async (object: T, { read, now }: StepContext) => {
    const cluster = guards.some(({ asksCluster }) => asksCluster)
      ? await clusterOfObject(object, read)
      : undefined;
    const given = { read, now, cluster: cluster as ClusterOf<W> };
    const refused = refusedBy(guards, object, cluster);
    if (refused !== undefined) {
      return { ...(refused.guard.isPause && whilePaused?.(object, given)), result: refused.result };
    }
    const live = async () => {
      const known = clusterMayLag === true ? cluster : undefined;
      const seen = await readLive(rest.reconciles, object, { read, known });
      const refusedLive = seen && refusedBy(guards, seen.object, seen.cluster);
      return refusedLive === undefined
        ? ((seen ?? { result: done }) as never)
        : { result: refusedLive.result };
    };
    return step(object, { ...given, live });
  };
  // Steps differ in their object type; the runtime only ever hands a step objects of `spec.reconciles`.
  return Object.freeze({ spec, step: guarded, ...(report && { report }) }) as unknown as AnyFunction;
}

type AnyDeclaration = Declaration<KubeObject, string, readonly Guard[]>;

/** A Cluster is its own Cluster. */
function isCluster({ group, kind }: Kind<never>): boolean {
  return group === Cluster.group && kind === Cluster.kind;
}

async function clusterOfObject(object: KubeObject, read: StepContext["read"]): Promise<Cluster | undefined> {
  return object.kind === Cluster.kind ? (object as Cluster) : readCluster(read, object as never);
}

async function readLive<T extends KubeObject>(
  kind: Kind<T>,
  object: T,
  { read: { live }, known }: Pick<StepContext, "read"> & { readonly known: Cluster | undefined },
) {
  const [found, cluster] = await Promise.all([
    live.get(kind, objectKeyOf(object)),
    object.kind === Cluster.kind ? undefined : (known ?? live.get(Cluster, clusterKeyOf(object as never))),
  ]);
  if (found === undefined || found.metadata.uid !== object.metadata.uid) return undefined;
  return { object: found, cluster: found.kind === Cluster.kind ? (found as unknown as Cluster) : cluster };
}

/** Returns what guards, a finalizer and groups of watches and turns say in the lists of a spec. */
function derived(declaration: AnyDeclaration, guards: readonly Guard[]) {
  const { name, reconciles, watches, isIdle, ownsOn = [], inTurnWith = [], releases } = declaration;
  const asksCluster = guards.some((guard) => guard.asksCluster);
  const own = [
    ...guards.flatMap(({ fields }) => fields),
    ...(asksCluster && isCluster(reconciles as never) ? PAUSING_FIELDS : []),
  ];
  const ofCluster = asksCluster && !isCluster(reconciles as never) ? PAUSING_FIELDS : [];
  const idle = guards.filter((guard) => guard.isIdle);
  const turns = inTurnWith.flat();
  return {
    watches: withFields(
      withFields(watches.flat(), { on: Cluster as unknown as Kind, fields: ofCluster, toKeys: inCluster }),
      { on: reconciles as unknown as Kind, fields: own, toKeys: itself },
    ),
    ...(idle.length === 0
      ? {}
      : {
          isIdle: (object: KubeObject) =>
            isIdle?.(object) === true || idle.some((guard) => guard.refuses(object, undefined) !== undefined),
        }),
    ...(releases === undefined
      ? { ownsOn, inTurnWith: turns }
      : {
          ownsOn: [...ownsOn, { kind: reconciles, fields: ["metadata.finalizers"] }],
          inTurnWith: [
            ...turns,
            ...turn(
              name.replace(/-.*/, "-guard"),
              reconciles,
              "metadata.finalizers",
              "the guard adds its finalizer before the deletion, delete removes it at the end of it",
            ),
          ],
        }),
  };
}

/** Adds fields to the watch that wakes the same keys, or adds the watch. */
function withFields(watches: readonly Watch[], added: Watch): readonly Watch[] {
  const { on, toKeys } = added;
  // An object is in its own Cluster.
  const isCovered = watches.some(
    (one) =>
      one.on === on &&
      one.toKeys === inClusterOf &&
      added.fields.every((field) => one.fields.includes(field)),
  );
  if (added.fields.length === 0 || isCovered) return watches;
  const same = watches.find((one) => one.on === on && one.toKeys === toKeys && one.actsOn === undefined);
  const fields = [...new Set([...(same?.fields ?? []), ...added.fields])];
  return [{ ...added, fields }, ...watches.filter((one) => one !== same)];
}

/** Watches provider objects that the reconciled one references, and the definitions by which they are read. */
export function watchReferenced(
  ...referenced: readonly (readonly [ContractKind, readonly string[]])[]
): readonly Watch[] {
  return [
    ...referenced.map(([on, fields]) => watchContract(on, ["metadata.uid", ...fields], referencing)),
    watch(CustomResourceDefinition, CONTRACT_FIELDS, referencingKind),
  ];
}

/** Declares fields that other functions write, too: each of `functions` each of `fields`, and which of them writes when. */
export function turn<T extends KubeObject>(
  functions: string | readonly string[],
  on: Kind<T> | ContractKind,
  fields: string | readonly string[],
  reason: string,
): readonly Turn[] {
  return [functions]
    .flat()
    .flatMap((name) =>
      [fields].flat().map((field) => ({ function: name, on: on as Kind | ContractKind, field, reason })),
    );
}
