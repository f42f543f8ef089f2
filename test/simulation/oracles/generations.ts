import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { MachinePool } from "../../../shared/api/machinepool.ts";
import type { World } from "../play/world.ts";
import type { Oracle } from "./oracle.ts";
import { onWrite } from "./sent-write.ts";
import { serverHistoryOf } from "./server-history.ts";
import { createShown } from "./shown.ts";

const CLUSTERS = "cluster.x-k8s.io/clusters";
const POOLS = "cluster.x-k8s.io/machinepools";
const CLUSTER_LABEL = "cluster.x-k8s.io/cluster-name";
const PAUSED = "cluster.x-k8s.io/paused";

/** Finds an object by type and `<namespace>/<name>`. */
type Find = (type: string, key: string) => KubeObject | undefined;

/** Generations that a status speaks for: F-18. */
export const generations: readonly Oracle[] = [
  {
    number: "F-18",
    title: "a status speaks for a generation only when guard, adopt and sync owe nothing for it",
    watch({ world, violated, evaluated }) {
      const history = serverHistoryOf(world);
      const shown = createShown(world.store);
      /** By run: what was owed by the read model when it began. */
      const owedThen = new WeakMap<object, Owed>();
      world.runs.onBegin((run) => {
        const debts = DEBTS[run.functionName];
        const [, , key = ""] = run.key.split("|");
        if (debts === undefined) return;
        const uids = new Map<string, string | undefined>();
        const then = debts(key, (type, of) => {
          const object = shown.find(type, of);
          uids.set(`${type} ${of}`, object?.metadata.uid);
          return object;
        });
        owedThen.set(run, { then, uids });
      });
      onWrite(world, ({ run, functionName, place, answer, title }) => {
        const debts = DEBTS[functionName];
        if (run === undefined || debts === undefined || place.subresource !== "status") return;
        if (history.isLostSince(run.startedInStep)) return;
        const key = `${place.namespace}/${place.name}`;
        const [before, after] = history.since(place.type, key, 0).slice(-2);
        const observed = generationOf(answer);
        if (observed === undefined || observed === generationOf(before) || after === undefined) return;
        evaluated();
        const owed = owedThen.get(run);
        if (owed === undefined) return;
        const now = debts(key, (type, of) => {
          const object = history.since(type, of, Number.MAX_SAFE_INTEGER).at(-1);
          // An object that was recreated meanwhile was owed nothing when the run began.
          return object?.metadata.uid === owed.uids.get(`${type} ${of}`) ? object : undefined;
        });
        const debt = owed.then.find((each) => now.includes(each));
        if (debt !== undefined)
          violated(`generation ${observed} is shown while ${debt}: ${title.slice(0, 120)}`);
      });
    },
  },
  {
    number: "F-18",
    title: "at rest a status and its conditions speak for the generation that is there",
    needs: {
      workloads: ["W-01", "W-02", "W-03", "W-04", "W-05", "W-11", "W-12", "W-14"],
      why: "nothing is left",
    },
    watch({ world, violated, evaluated, onRest }) {
      onRest(() => {
        for (const type of [CLUSTERS, POOLS]) {
          for (const stored of world.management.storage.collection(type).values()) {
            const object = stored as KubeObject & Reported;
            if (isPausedBy(object, findIn(world))) continue;
            evaluated();
            for (const older of olderThan(object)) violated(`${type} ${object.metadata.name}: ${older}`);
          }
        }
      });
    },
  },
];

/** Writes that a function owed when a run of it began, and the uids of the objects, by `<type> <namespace>/<name>`. */
interface Owed {
  readonly then: readonly string[];
  readonly uids: ReadonlyMap<string, string | undefined>;
}

interface Reported {
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly { readonly type: string; readonly observedGeneration?: number }[];
  };
}

function generationOf(object: KubeObject | undefined): number | undefined {
  return (object as (KubeObject & Reported) | undefined)?.status?.observedGeneration;
}

function olderThan({ metadata: { generation }, status = {} }: KubeObject & Reported): readonly string[] {
  const parts = [
    { type: "status", observedGeneration: status.observedGeneration },
    ...(status.conditions ?? []),
  ];
  return parts
    .filter((part) => part.observedGeneration !== generation)
    .map((part) => `${part.type} is of generation ${part.observedGeneration}, which is ${generation} now`);
}

function findIn({ management }: World): Find {
  return (type, key) => management.storage.collection(type).find(key) as KubeObject | undefined;
}

/** Returns the missing writes of an object, in words that stay the same; empty for one that is deleted or paused. */
type Debts = (key: string, find: Find) => readonly string[];

const DEBTS: { readonly [functionName: string]: Debts } = {
  "machinepool-status": (key, find) => {
    const pool = find(POOLS, key) as MachinePool | undefined;
    const cluster =
      pool === undefined ? undefined : find(CLUSTERS, `${namespaceOf(pool)}/${pool.spec.clusterName}`);
    if (pool === undefined || cluster === undefined || isAtRest(pool, find)) return [];
    return [...poolGuardDebts(pool, cluster), ...poolProviderDebts(pool, find)];
  },
  "cluster-status": (key, find) => {
    const cluster = find(CLUSTERS, key) as Cluster | undefined;
    if (cluster === undefined || isAtRest(cluster, find)) return [];
    const { infrastructureRef, controlPlaneRef } = cluster.spec ?? {};
    const isGuarded = cluster.metadata.finalizers?.includes("cluster.cluster.x-k8s.io") === true;
    return [
      ...(isGuarded ? [] : ["the finalizer is missing"]),
      ...[infrastructureRef, controlPlaneRef].flatMap((reference) => {
        const provider = reference === undefined ? undefined : referenced(cluster, reference, find);
        return provider === undefined ? [] : adoptionDebts(cluster, provider, cluster.metadata.name, false);
      }),
      ...(isEndpointDue(cluster, find) ? ["the endpoint is not copied"] : []),
    ];
  },
};

function isEndpointDue(cluster: Cluster, find: Find): boolean {
  const { infrastructureRef, controlPlaneEndpoint } = cluster.spec ?? {};
  const found = infrastructureRef === undefined ? undefined : referenced(cluster, infrastructureRef, find);
  const { spec, status, metadata } = Object(found) as Partial<KubeObject> & {
    readonly spec?: { readonly controlPlaneEndpoint?: { readonly host?: string } };
    readonly status?: { readonly initialization?: { readonly provisioned?: boolean } };
  };
  const isOwn = metadata !== undefined && isOwned(metadata, cluster.metadata.uid);
  const isSaid =
    status?.initialization?.provisioned === true && (spec?.controlPlaneEndpoint?.host ?? "") !== "";
  return (
    isOwn && isSaid && metadata.deletionTimestamp === undefined && (controlPlaneEndpoint?.host ?? "") === ""
  );
}

/** No function writes then. */
function isAtRest(object: KubeObject, find: Find): boolean {
  return object.metadata.deletionTimestamp !== undefined || isPausedBy(object, find);
}

function isPausedBy(object: KubeObject & { readonly spec?: object }, find: Find): boolean {
  const { clusterName, paused } = Object(object.spec) as {
    readonly clusterName?: string;
    readonly paused?: boolean;
  };
  const cluster =
    clusterName === undefined ? undefined : find(CLUSTERS, `${namespaceOf(object)}/${clusterName}`);
  const isCluster = Object(cluster).spec?.paused === true;
  return object.metadata.annotations?.[PAUSED] !== undefined || paused === true || isCluster;
}

function poolGuardDebts({ metadata, spec }: MachinePool, cluster: KubeObject): readonly string[] {
  const checks: readonly (readonly [string, boolean])[] = [
    ["the finalizer", metadata.finalizers?.includes("machinepool.cluster.x-k8s.io") === true],
    ["the label of the Cluster", metadata.labels?.[CLUSTER_LABEL] === spec.clusterName],
    ["the owner reference", isOwned(metadata, cluster.metadata.uid)],
    ["spec.replicas", spec.replicas !== undefined || hasMalformedSizes(metadata)],
    ["the timeout of Nodes", spec.template.spec.deletion?.nodeDeletionTimeoutSeconds !== undefined],
  ];
  return checks.flatMap(([what, isThere]) => (isThere ? [] : [`${what} is missing`]));
}

/**
 * The default is the autoscaler's minimum: where both its annotations are there and one is not a number, there is none.
 */
function hasMalformedSizes({ annotations = {} }: KubeObject["metadata"]): boolean {
  const sizes = ["min", "max"].map(
    (which) => annotations[`cluster.x-k8s.io/cluster-api-autoscaler-node-group-${which}-size`],
  );
  return sizes.every((size) => size !== undefined) && !sizes.every((size) => /^\d+$/.test(size ?? ""));
}

function poolProviderDebts(pool: MachinePool, find: Find): readonly string[] {
  const { bootstrap, infrastructureRef } = pool.spec.template.spec;
  const data = bootstrap.configRef === undefined ? undefined : referenced(pool, bootstrap.configRef, find);
  const fleet = referenced(pool, infrastructureRef, find);
  return [
    ...[data, fleet].flatMap((each) =>
      each === undefined ? [] : adoptionDebts(pool, each, pool.spec.clusterName, true),
    ),
    ...(data !== undefined && isCopyDue(pool, data) ? ["the data secret name is not copied"] : []),
    ...(fleet === undefined ? [] : listDebts(pool, fleet)),
  ];
}

interface Reference {
  readonly apiGroup: string;
  readonly kind: string;
  readonly name: string;
}

function referenced(by: KubeObject, { apiGroup, kind, name }: Reference, find: Find): KubeObject | undefined {
  return find(`${apiGroup}/${kind.toLowerCase()}s`, `${namespaceOf(by)}/${name}`);
}

/** Owner and label of a provider object without another owner. */
function adoptionDebts(
  owner: KubeObject,
  { kind, metadata }: KubeObject,
  clusterName: string,
  isController: boolean,
): readonly string[] {
  const controller = metadata.ownerReferences?.find((each) => each.controller === true);
  if (isController && controller !== undefined && controller.uid !== owner.metadata.uid) return [];
  return [
    ...(isOwned(metadata, owner.metadata.uid) ? [] : [`${kind} ${metadata.name} has no owner`]),
    ...(metadata.labels?.[CLUSTER_LABEL] === clusterName ? [] : [`${kind} ${metadata.name} has no label`]),
  ];
}

function isOwned({ ownerReferences = [] }: KubeObject["metadata"], uid: string | undefined): boolean {
  return uid !== undefined && ownerReferences.some((owner) => owner.uid === uid);
}

function isCopyDue(pool: MachinePool, { metadata, ...rest }: KubeObject): boolean {
  const { dataSecretName, initialization } = Object(Object(rest)["status"]) as {
    readonly dataSecretName?: string;
    readonly initialization?: { readonly dataSecretCreated?: boolean };
  };
  const isSaid = initialization?.dataSecretCreated === true && (dataSecretName ?? "") !== "";
  const isOwn = isOwned(metadata, pool.metadata.uid) && metadata.deletionTimestamp === undefined;
  return isSaid && isOwn && pool.spec.template.spec.bootstrap.dataSecretName !== dataSecretName;
}

/** A list that says one thing only: whatever else a provider may list is judged by F-40 and F-41. */
function listDebts(pool: MachinePool, { metadata, ...rest }: KubeObject): readonly string[] {
  const { spec, status } = Object(rest) as {
    readonly spec?: { readonly providerIDList?: readonly string[] };
    readonly status?: { readonly initialization?: { readonly provisioned?: boolean } };
  };
  const listed = spec?.providerIDList ?? [];
  const isPlain = listed.length > 0 && new Set(listed).size === listed.length && !listed.includes("");
  const isOwn = isOwned(metadata, pool.metadata.uid) && metadata.deletionTimestamp === undefined;
  const isSaid = isPlain && status?.initialization?.provisioned === true;
  const copied = new Set(pool.spec.providerIDList);
  const isCopied = copied.size === listed.length && listed.every((each) => copied.has(each));
  // With the list: between two looks the provider may have listed what the pool had, and then this again.
  return isSaid && isOwn && !isCopied ? [`the provider IDs ${listed.join(", ")} are not copied`] : [];
}

function namespaceOf({ metadata }: KubeObject): string {
  return metadata.namespace ?? "";
}
