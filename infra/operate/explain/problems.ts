import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { Connection, CustomResourceDefinition } from "../../../shared/api/core.ts";
import { objectKeyOf, titleOf } from "../../../shared/api/kinds.ts";
import { readTopologyRuns } from "../../../shared/rules/coexistence/topology.ts";
import { controllerOf } from "../../../shared/rules/metadata/owner-references.ts";
import { refusedWrite } from "../../../shared/rules/metadata/refused-write.ts";
import { parseKey } from "../../../shared/runtime/queue/key.ts";
import { managementType } from "../../../shared/runtime/read/management-type.ts";
import { storeLookup } from "../../../shared/runtime/read/store-lookup.ts";
import { clusterKeyOf, nearNames, type ObjectNode, referencedNodes, type Snapshots } from "./object-tree.ts";
import { type Finding, type KeyTrouble, type Problem, SUBJECTS } from "./problem.ts";
import { problemsOfObject } from "./problems-of-object.ts";
import { problemsOfCluster, soundCluster } from "./problems-of-platform.ts";
import { refusalIn } from "./refusals.ts";

/** Facts beside those of snapshots. */
export interface ProblemFacts {
  readonly now: Date;
  /** The troubles of any objects: those in the tree count. */
  readonly troubles: readonly KeyTrouble[];
  /** The problems of queue, relay and workers: they stand in front of all others. */
  readonly platform?: readonly Problem[];
}

/** The failures in a row after which another attempt hardly ends well. */
const MANY = 5;

/**
 * Returns what a person has to mend for the objects of a tree, the first to be mended first; what only follows from one
 * of them is counted with it. Everything that says what is wrong with a Cluster or an object asks here, so that
 * `explain`, pages and lists name the same root.
 */
export async function problemsOf(
  store: Snapshots,
  tree: ObjectNode,
  { now, troubles, platform = [] }: ProblemFacts,
): Promise<readonly Problem[]> {
  const found = await clusterOf(store, tree);
  const above = found.node === undefined ? [] : await aboveOf(store, found.node, tree);
  const nodes = [...above, ...flat(tree)];
  // Without a complete list no kind is known to be missing.
  const { ready: areKindsListed } = await store.progress(managementType(CustomResourceDefinition));
  const byTitle = new Map(nodes.map((node) => [titleOf(node.kind.kind, node.key), node]));
  const ofKeys = troubles.flatMap((trouble) => {
    const parts = parseKey(trouble.key);
    const at = parts && byTitle.get(titleOf(parts.kind, parts));
    const finding = at && problemOfKey(trouble, at);
    return finding === undefined ? [] : [finding];
  });
  const findings = [
    ...found.findings,
    ...problemsOfCluster({ ...found, now }),
    ...nodes
      .flatMap((node) => problemsOfObject(node, { nodes, now, cluster: found.cluster, areKindsListed }))
      // The Cluster may wait for other objects, which do not hold up this one.
      .filter(({ about, at }) => about !== "waiting" || at === undefined || !above.includes(at)),
    ...ofKeys,
  ];
  return [...platform, ...rooted(findings, nodes, found.cluster)];
}

/** Returns the problem of a key that fails; undefined as long as the next attempt may end well. */
function problemOfKey(trouble: KeyTrouble, at: ObjectNode): Finding | undefined {
  const { function: name, key, isDead, failures, failure, since, until } = trouble;
  const again = until === undefined ? "" : `; it is tried again at ${until}`;
  const refusal = refusalIn(failure.message, at.key.namespace);
  const common = {
    at,
    severity: "broken",
    ...(since === undefined ? {} : { since }),
    ...(isDead ? { letter: { function: name, key } } : {}),
  } as const;
  if (refusal !== undefined) {
    return { about: "refused", id: refusal.cause, ...refusal, next: `${refusal.next}${again}`, ...common };
  }
  if (!isDead && failures < MANY) return undefined;
  const object = titleOf(at.kind.kind, at.key);
  const verb = isDead ? "has given up" : `has failed ${failures} times`;
  return {
    about: "dead",
    id: `${failure.reason}: ${failure.message}`,
    object,
    cause: `${name} ${verb} for ${object}: ${failure.reason}: ${failure.message} (class ${failure.class})`,
    next: isDead
      ? `read it with capstan dlq show ${name} '${key}', mend the cause, then replay or drop it${again}`
      : `mend the cause${again}`,
    ...common,
  };
}

interface FoundCluster {
  readonly cluster: Cluster | undefined;
  readonly connection: Connection | undefined;
  readonly topologyRuns: boolean;
  /** The node; absent where the tree has it. */
  readonly node?: ObjectNode;
  /** It does not exist. */
  readonly findings: readonly Finding[];
}

async function clusterOf(store: Snapshots, { kind, object }: ObjectNode): Promise<FoundCluster> {
  const nothing = { cluster: undefined, connection: undefined, topologyRuns: false, findings: [] };
  const key = object && clusterKeyOf(kind, object);
  if (object === undefined || key === undefined) return nothing;
  const read = storeLookup(store);
  const [stored, connection] = await Promise.all([read.get(Cluster, key), read.get(Connection, key)]);
  if (stored === undefined) {
    const missing = await missingCluster(store, titleOf(kind.kind, objectKeyOf(object)), key);
    return { ...nothing, findings: object.metadata.deletionTimestamp === undefined ? missing : [] };
  }
  const cluster = soundCluster(stored);
  const topologyRuns = await readTopologyRuns(read, cluster);
  const isRoot = kind.kind === Cluster.kind && kind.group === Cluster.group;
  const node = { kind: Cluster, key, object: cluster, children: [], more: [] } as unknown as ObjectNode;
  return { cluster, connection, topologyRuns, findings: [], ...(isRoot ? {} : { node }) };
}

/** Nothing is known to be missing without a complete list. */
export async function missingCluster(
  store: Snapshots,
  named: string,
  key: { readonly namespace: string; readonly name: string },
): Promise<readonly Finding[]> {
  const type = managementType(Cluster);
  if (!(await store.progress(type)).ready) return [];
  const all = await store.list(type, {});
  const names = all.map(({ metadata: { namespace = "", name } }) =>
    namespace === key.namespace ? name : `${namespace}/${name}`,
  );
  const near = [
    ...names.filter((name) => name.endsWith(`/${key.name}`)),
    ...nearNames(
      key.name,
      names.filter((name) => !name.includes("/")),
    ),
  ].slice(0, 3);
  const object = titleOf(Cluster.kind, key);
  return [
    {
      about: "cluster",
      id: object,
      object,
      cause: `${object} does not exist, and ${named} names it`,
      next: `correct spec.clusterName${near.length === 0 ? "" : ` (there is ${near.join(", ")})`}, or create the Cluster`,
      severity: "broken",
    },
  ];
}

/** The Cluster and its two references: what holds them up holds up every object of it. */
async function aboveOf(store: Snapshots, node: ObjectNode, tree: ObjectNode): Promise<readonly ObjectNode[]> {
  const own = new Set(flat(tree).map(({ kind, key }) => titleOf(kind.kind, key)));
  const { kind, object } = node;
  const references = object === undefined ? [] : await referencedNodes(store, kind, object);
  return [node, ...references].filter((each) => !own.has(titleOf(each.kind.kind, each.key)));
}

function flat(node: ObjectNode): readonly ObjectNode[] {
  return [node, ...node.children.flatMap(flat)];
}

/** Leaves out what only follows from another finding, joins equal ones, and puts them in the order in which they must be mended. */
function rooted(
  findings: readonly Finding[],
  nodes: readonly ObjectNode[],
  cluster: Cluster | undefined,
): readonly Problem[] {
  const { infrastructureRef, controlPlaneRef } = cluster?.spec ?? {};
  const referenced = [infrastructureRef, controlPlaneRef].flatMap((one) =>
    one === undefined ? [] : [titleOf(one.kind, { ...cluster?.metadata, name: one.name })],
  );
  const roots = findings.filter((finding) => !follows(finding, findings));
  const byId = Map.groupBy(roots, ({ about, id }) => `${about} ${id}`);
  const problems = [...byId.values()].flatMap((equal): Problem[] => {
    const [first] = equal;
    if (first === undefined) return [];
    const { id: _id, at: _at, ...problem } = first;
    const more = equal.length - 1;
    const cause = more === 0 ? problem.cause : `${problem.cause} (and ${more} more like it)`;
    return [{ ...problem, cause, consequences: more }];
  });
  const ordered = problems.toSorted((a, b) => SUBJECTS.indexOf(a.about) - SUBJECTS.indexOf(b.about));
  const [first, ...others] = ordered;
  const folded = findings.length - roots.length;
  return first === undefined ? [] : [{ ...first, consequences: first.consequences + folded }, ...others];

  function follows(finding: Finding, all: readonly Finding[]): boolean {
    const has = (...about: readonly Problem["about"][]) =>
      all.some((other) => other !== finding && about.includes(other.about));
    switch (finding.about) {
      case "connection":
        // It is written once the control plane is up.
        return NO_SECRET.test(finding.cause) && all.some((other) => isOfCluster(other));
      case "missing":
        return finding.at !== undefined && isOfRefused(finding.at);
      case "dead":
        return has("connection") && OF_WORKLOAD.test(finding.cause);
      case "rollout":
        return has("connection") || (finding.at !== undefined && isBelow(finding.at, finding));
      case "waiting":
        return (
          all.some(({ about }) => about !== "waiting") ||
          (finding.at !== undefined && isBelow(finding.at, finding))
        );
      case "drain":
      case "health":
        return has("connection");
      default:
        return false;
    }
  }

  /** Something of the deployment itself, of a set or a Machine is wrong, and holds its rollout up. */
  function isBelow(node: ObjectNode, finding: Finding): boolean {
    const below = flat(node);
    return findings.some((other) => other !== finding && other.at !== undefined && below.includes(other.at));
  }

  /** Its Cluster references an object that does not come: nothing else of it can. */
  function isOfCluster({ about, object }: Finding): boolean {
    return referenced.includes(object) && ["definition", "list", "missing", "provider"].includes(about);
  }

  /** The API server refuses something to its maker. */
  function isOfRefused({ namedBy }: ObjectNode): boolean {
    const owner = namedBy && controllerOf(namedBy.object)?.uid;
    return nodes.some(
      ({ object }) =>
        object !== undefined && object.metadata.uid === owner && refusedWrite(object) !== undefined,
    );
  }
}

const NO_SECRET = /^kubeconfig Secret \S+ does not exist$/;

/** A request to a workload server that did not answer. */
const OF_WORKLOAD = /workload cluster|(get|list|watch|patch|delete|evict) (Node|Pod)/;
