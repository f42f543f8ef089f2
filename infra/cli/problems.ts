import type { Command } from "commander";
import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { ClusterResourceSet } from "../../shared/api/clusterresourceset.ts";
import { apiVersionOf, type Kind, objectKeyOf, workloadCluster } from "../../shared/api/kinds.ts";
import type { AnyFunction } from "../../shared/function/define-function.ts";
import { compareText } from "../../shared/rules/conditions/conditions.ts";
import { managementType } from "../../shared/runtime/read/management-type.ts";
import { readFreshness } from "../../shared/runtime/read/signs.ts";
import { clusterOfKey } from "../console/fleet/cluster-of-key.ts";
import { createTroubles } from "../console/fleet/troubles.ts";
import { objectTree } from "../operate/explain/object-tree.ts";
import { createOrphans } from "../operate/explain/orphans.ts";
import { type KeyTrouble, type Problem, SUBJECTS } from "../operate/explain/problem.ts";
import { problemsOf } from "../operate/explain/problems.ts";
import { silenceProblems, workerProblems } from "../operate/explain/problems-of-platform.ts";
import type { Unserved } from "../operate/explain/unserved.ts";
import { withConfigurations } from "../operate/explain/webhook-configurations.ts";
import { systemClock } from "../platform/clock.ts";
import { print, printJson } from "../platform/terminal/print.ts";
import { ageOf, tableLines } from "../platform/terminal/table.ts";
import { allHeads } from "../queue/letters/all-heads.ts";
import { openHistory, openReachable } from "./explain/open-history.ts";
import { openModel, type ReadModel } from "./explain/read-model.ts";
import { addSourceOptions, type LetterSource, SHARED_QUEUE, type SourceOptions } from "./letter-source.ts";
import { kubeconfigOption, outputOption } from "./options.ts";

interface ProblemsOptions extends SourceOptions {
  readonly kubeconfig?: string;
  readonly namespace: string;
  readonly allNamespaces: boolean;
  readonly output: string;
}

/** A problem of relay or workers is about every Cluster. */
const ALL = "*";

interface Row extends Problem {
  /** `default/demo` */
  readonly cluster: string;
}

const UNASKED = "whether relay and workers run was not asked; --queue asks that, too";

/** The exit code for scripts: something must be mended. */
const FOUND = 3;

const EXAMPLES = `
Examples:
  capstan problems
  capstan problems -A --queue redis://127.0.0.1:6379
  capstan problems -n team-a -o json

The exit status is 3 when there is a problem, else 0. Without --queue only dead letters show which functions fail.
capstan explain cluster NAMESPACE/NAME shows what follows from each.`;

export function problemsCommand(command: Command): Command {
  command
    .option("-n, --namespace <namespace>", "of this namespace", "default")
    .option("-A, --all-namespaces", "of all namespaces", false)
    .addOption(kubeconfigOption());
  return addSourceOptions(command, SHARED_QUEUE)
    .addOption(outputOption("table", "json"))
    .addHelpText("after", EXAMPLES)
    .action(problems);
}

async function problems(options: ProblemsOptions): Promise<void> {
  const { kubeconfig, allNamespaces, output } = options;
  const namespace = allNamespaces ? undefined : options.namespace;
  const { source: opened, away } = await openReachable(options);
  await using source = opened;
  const wanted = { kubeconfig, namespace };
  await using model = await openModel(source.backend, wanted);
  const { functions } = model;
  await using asked = await openHistory(source, functions, {});
  const now = systemClock.now();
  const freshness = await (model.readFreshness?.(now) ?? readFreshness(model.store, now));
  const unserved = (await asked.unserved?.()) ?? [];
  const served = await model.server.as("problems").kinds(apiVersionOf(Cluster));
  const platform = [
    ...away,
    ...definitionProblems(served),
    ...silenceProblems(freshness),
    ...workerProblems(unserved),
  ];
  const found = await findAll(model, functions, source, namespace);
  // Everything else may be old, or wait for these.
  const rows = [...platform.map((problem) => ({ cluster: ALL, ...problem })), ...worstFirst(found)];
  if (output === "json") printJson(rows);
  else print(...textOfProblems(rows, { namespace, isAsked: source.queue !== undefined, unserved }));
  if (rows.length > 0) process.exitCode = FOUND;
}

/** Returns the problem of a server without the definition of Clusters: that there are none must not look as if all were well. */
export function definitionProblems(served: readonly Pick<Kind, "kind">[]): readonly Problem[] {
  if (served.some(({ kind }) => kind === Cluster.kind)) return [];
  return [
    {
      about: "definition",
      object: "CustomResourceDefinition clusters.cluster.x-k8s.io",
      definition: `${Cluster.group}/${Cluster.kind}`,
      cause: `the API server does not serve ${Cluster.kind} of ${apiVersionOf(Cluster)}`,
      next: "install Capstan's CustomResourceDefinitions (infra/guides/install.md)",
      severity: "broken",
      consequences: 0,
    },
  ];
}

async function findAll(
  model: ReadModel,
  functions: readonly AnyFunction[],
  source: LetterSource,
  namespace: string | undefined,
): Promise<readonly Row[]> {
  const { store } = model;
  const asked = namespace === undefined ? {} : { namespace };
  const clusters = await store.list(managementType(Cluster), asked);
  const names = clusters.map((object) => workloadCluster(objectKeyOf(object)));
  await Promise.all(names.map((name) => model.connected(name)));
  const troublesOf = await readTroubles(model, functions, source);
  // They select Clusters, so they are in the tree of none.
  const sets = await store.list(managementType(ClusterResourceSet), asked);
  const rows: Row[] = [];
  for (const [kind, object] of [
    ...clusters.map((each) => [Cluster, each] as const),
    ...sets.map((each) => [ClusterResourceSet, each] as const),
  ]) {
    const key = objectKeyOf(object);
    const cluster = kind.kind === Cluster.kind ? workloadCluster(key) : `${key.namespace}/-`;
    const tree = await objectTree(store, functions, { kind, object });
    const facts = { now: systemClock.now(), troubles: troublesOf(cluster) };
    const found = await withConfigurations(await problemsOf(store, tree, facts), model.server.as("problems"));
    rows.push(...found.map((problem) => ({ cluster, ...problem })));
  }
  const orphans = await createOrphans(store, functions).all(new Set(names));
  return [
    ...rows,
    ...orphans
      .filter(({ cluster }) => namespace === undefined || cluster.namespace === namespace)
      .map(({ cluster, problem }) => ({ cluster: workloadCluster(cluster), ...problem })),
  ];
}

/** Reads the troubles by Cluster; of a queue in the memory of another process only the letters are known. */
async function readTroubles(
  { store }: ReadModel,
  functions: readonly AnyFunction[],
  { queue, deadLetters }: LetterSource,
): Promise<(cluster: string) => readonly KeyTrouble[]> {
  if (queue === undefined) {
    const heads = await allHeads(deadLetters);
    const letters = heads.map(({ function: name, key, error: failure, deadSince: since, times }) => {
      return { function: name, key, isDead: true, failures: times, failure, since };
    });
    // Those of other Clusters are about none of the objects of this one.
    return () => letters;
  }
  const troubles = createTroubles(queue, clusterOfKey({ store, functions }));
  for (const { spec } of functions) await troubles.read(spec.name);
  return (cluster) => troubles.of(cluster)?.worst ?? [];
}

/**
 * Those of a Cluster stay together, in the order in which they must be mended. First the Cluster with the worst one: one
 * that waiting does not mend, then one that must be mended before others, then the oldest.
 */
function worstFirst(rows: readonly Row[]): readonly Row[] {
  const placeOf = ({ severity, about, since = "~", cluster }: Row): string =>
    `${severity} ${String(SUBJECTS.indexOf(about)).padStart(2, "0")} ${since} ${cluster}`;
  const worst = new Map<string, string>();
  for (const row of rows) {
    const place = placeOf(row);
    const known = worst.get(row.cluster);
    if (known === undefined || place < known) worst.set(row.cluster, place);
  }
  return rows.toSorted((a, b) => compareText(worst.get(a.cluster) ?? "", worst.get(b.cluster) ?? ""));
}

interface Asked {
  readonly namespace: string | undefined;
  /** Whether the queue was asked, and with it relay and workers. */
  readonly isAsked: boolean;
  /** The functions that no process serves, though no key waits for them yet. */
  readonly unserved: readonly Unserved[];
}

/** Returns the table for people, or what calm rests on. */
export function textOfProblems(
  rows: readonly Row[],
  { namespace, isAsked, unserved }: Asked,
): readonly string[] {
  if (rows.length === 0) {
    const where = namespace === undefined ? "" : ` in namespace ${namespace}; -A looks at all`;
    const [first] = unserved;
    const others = unserved.length > 1 ? ` and ${unserved.length - 1} more` : "";
    const next = first && `no worker is seen for ${first.function}${others}: what they do next would wait`;
    return [`no problems${where}`, ...(isAsked ? [] : [UNASKED]), ...(next === undefined ? [] : [next])];
  }
  const now = systemClock.now();
  return tableLines(
    ["CLUSTER", "FOR", "PROBLEM"],
    rows.map(({ cluster, since, cause, next }) => [
      cluster,
      since === undefined ? "" : ageOf(since, now),
      `${cause}${next === "" ? "" : ` → ${next}`}`.replace(/[\p{Cc}\s]+/gu, " "),
    ]),
  );
}
