import { installCrds } from "../../../../infra/cli/install-crds.ts";
import { Deployment } from "../../../../infra/operate/takeover/core.ts";
import { allMembers, FAMILIES, type Member } from "../../../../infra/operate/takeover/families.ts";
import { Policy, PolicyBinding } from "../../../../infra/operate/takeover/fence.ts";
import { systemClock } from "../../../../infra/platform/clock.ts";
import { createServer } from "../../../../infra/platform/kube/client.ts";
import { parseKubeconfig } from "../../../../infra/platform/kube/kubeconfig.ts";
import type { ServerClient } from "../../../../infra/platform/kube/verbs.ts";
import { startApiServer } from "../../../../infra/playground/apiserver/entry.ts";
import { Lease } from "../../../../infra/relay/lease.ts";
import { createLeaseCandidate } from "../../../../infra/relay/lease-candidate.ts";
import { PAUSED_ANNOTATION, WATCH_FILTER_LABEL } from "../../../../shared/api/indexes.ts";
import { apiVersionOf, type Kind, type KubeObject, objectKeyOf } from "../../../../shared/api/kinds.ts";
import { SECOND } from "../../../../shared/function/backoff.ts";
import { KubeError } from "../../../../shared/function/errors.ts";
import { conditionOf } from "../../../../shared/rules/conditions/conditions.ts";
import type { Clock } from "../../../../shared/runtime/ports.ts";
import { ensureNamespace } from "../../../support/management-side.ts";
import { coreDeployment } from "../../../support/takeover-fleet.ts";

const LEASE_KEY = { namespace: "capi-system", name: "controller-leader-election-capi" };
const DEPLOYMENT_KEY = { namespace: "capi-system", name: "capi-controller-manager" };
/** How often Cluster API's manager looks at a health check. */
const CHECKED_EVERY_MS = 15 * SECOND;

interface PlayedOptions {
  readonly clusters: number;
  /** The `--watch-filter` of Cluster API's manager. */
  readonly filter?: string;
  /** Time that Cluster API's manager takes for each object. Default none. */
  readonly coreTakesMs?: number;
}

/**
 * Clusters on the embedded API server with the two controllers, as far as a take-over sees them: each says of its objects
 * whether they are paused. Time passes only while the take-over rests, and then both have their turn.
 */
export async function playedWorld({ clusters, filter, coreTakesMs = 0 }: PlayedOptions) {
  const stack = new AsyncDisposableStack();
  const embedded = await startApiServer({ name: "test" });
  stack.defer(() => embedded.stop());
  const server = stack.use(createServer(parseKubeconfig(embedded.kubeconfig()), { clock: systemClock }));
  const real = server.as("takeover");
  await installCrds(real, systemClock);
  await ensureNamespace(real, LEASE_KEY.namespace);
  const flag = filter === undefined ? "--leader-elect" : `--watch-filter=${filter}`;
  await real.create(Deployment as unknown as Kind, coreDeployment([flag]));
  for (const name of Array.from({ length: clusters }, (_, at) => `c${at}`))
    for (const [kind, object] of partsOf(name, filter)) await real.create(kind, object);

  let now = Date.parse("2026-01-01T00:00:00Z");
  const ofStandby = { now: () => new Date(now), after: () => () => undefined };
  const standby = createLeaseCandidate({
    client: real,
    key: LEASE_KEY,
    identity: "capi_1",
    clock: ofStandby,
  });
  const lastChecked = new Map<string, number>();
  let coreIsFreeAt = now;
  const sideOf = ({ object }: Member): "core" | "capstan" | undefined => {
    const label = object.metadata.labels?.[WATCH_FILTER_LABEL];
    if (label === "capstan") return "capstan";
    return label === filter ? "core" : undefined;
  };
  const looksAt = (member: Member, coreLeads: boolean): boolean => {
    const side = sideOf(member);
    if (side !== "core") return side === "capstan";
    if (!coreLeads || now < coreIsFreeAt) return false;
    coreIsFreeAt = now + coreTakesMs;
    if (member.kind.kind !== "MachineHealthCheck") return true;
    const { uid = "" } = member.object.metadata;
    if (now - (lastChecked.get(uid) ?? 0) < CHECKED_EVERY_MS) return false;
    lastChecked.set(uid, now);
    return true;
  };
  const play = async (): Promise<void> => {
    const coreLeads = await standby.tryHold();
    for (const member of await allMembers(real)) {
      const operations = pausedOperations(member.object);
      if (operations.length === 0 || !looksAt(member, coreLeads)) continue;
      await real.jsonPatch(member.kind, objectKeyOf(member.object), operations, "status");
    }
  };
  while (await isAnyUnseen(real)) {
    await play();
    now += coreTakesMs;
  }
  const failures: unknown[] = [];
  const clock: Clock = {
    now: () => new Date(now),
    after(ms, callback) {
      let isCancelled = false;
      void play()
        .catch((error: unknown) => failures.push(error))
        .then(() => {
          now += ms;
          if (!isCancelled) callback();
        });
      return () => {
        isCancelled = true;
      };
    },
  };
  const policies = new Map<string, KubeObject>();
  const client = withPolicies(real, policies);
  return {
    client,
    probe: deniedBy(policies, real),
    clock,
    policies,
    core: DEPLOYMENT_KEY,
    members: () => allMembers(real),
    lease: () => real.get(Lease, LEASE_KEY),
    async [Symbol.asyncDispose]() {
      await stack.disposeAsync();
      if (failures.length > 0) throw new AggregateError(failures, "a played controller failed");
    },
  };
}
export type PlayedWorld = Awaited<ReturnType<typeof playedWorld>>;

/** The same client, that is killed after so many writes. */
export function killedAfter(client: ServerClient, writes: number): ServerClient {
  let left = writes;
  const orKilled = <Args extends readonly unknown[], T>(write: (...args: Args) => Promise<T>) => {
    return async (...args: Args): Promise<T> => {
      left -= 1;
      if (left < 0) throw new Error("killed");
      return write(...args);
    };
  };
  return {
    ...client,
    create: orKilled(client.create) as ServerClient["create"],
    apply: orKilled(client.apply),
    jsonPatch: orKilled(client.jsonPatch),
    delete: orKilled(client.delete),
  };
}

/** The embedded server does not serve policies: they are kept here. */
function withPolicies(client: ServerClient, policies: Map<string, KubeObject>): ServerClient {
  const isPolicy = (kind: Kind<never>) => [Policy.kind, PolicyBinding.kind].includes(kind.kind);
  return {
    ...client,
    get: (async (kind: Kind, key) =>
      isPolicy(kind as Kind<never>) ? policies.get(kind.kind) : client.get(kind, key)) as ServerClient["get"],
    async apply(kind, key, body, subresource) {
      if (!isPolicy(kind as Kind<never>)) return client.apply(kind, key, body, subresource);
      const object = body as KubeObject;
      const stored = { ...object, metadata: { ...object.metadata, uid: kind.kind, resourceVersion: "1" } };
      policies.set(kind.kind, stored);
      return stored;
    },
    async delete(kind, key, preconditions) {
      if (!isPolicy(kind as Kind<never>)) return client.delete(kind, key, preconditions);
      policies.delete(kind.kind);
      return undefined;
    },
  };
}

/** Dry runs: a policy that is bound refuses the probe. */
function deniedBy(policies: ReadonlyMap<string, KubeObject>, client: ServerClient): ServerClient {
  const message =
    "ValidatingAdmissionPolicy 'capstan-takeover' with binding 'capstan-takeover' denied request";
  return {
    ...client,
    async jsonPatch() {
      if (policies.size < 2) return {} as KubeObject;
      throw new KubeError({ class: "Terminal", status: 422, reason: "Invalid", message });
    },
  };
}

/** Whether an object has no answer of a controller yet. */
async function isAnyUnseen(client: ServerClient): Promise<boolean> {
  return (await allMembers(client)).some(({ object }) => pausedOperations(object).length > 0);
}

function pausedOperations(object: KubeObject) {
  const isPaused = Object.hasOwn(object.metadata.annotations ?? {}, PAUSED_ANNOTATION);
  const status = isPaused ? "True" : "False";
  const conditions: readonly { type: string; status: string }[] =
    Reflect.get(object, "status")?.conditions ?? [];
  if (conditionOf(conditions, "Paused")?.status === status) return [];
  const condition = {
    type: "Paused",
    status,
    reason: isPaused ? "Paused" : "NotPaused",
    message: isPaused ? `${object.kind} has the ${PAUSED_ANNOTATION} annotation` : "",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  };
  return [{ op: "add" as const, path: "/status", value: { conditions: [condition] } }];
}

function partsOf(name: string, filter: string | undefined): readonly (readonly [Kind, KubeObject])[] {
  const labels = filter === undefined ? {} : { [WATCH_FILTER_LABEL]: filter };
  const owned = { labels: { ...labels, "cluster.x-k8s.io/cluster-name": name } };
  const provider = (kind: string) => ({ apiGroup: "infrastructure.cluster.x-k8s.io", kind, name });
  const specs: { readonly [kind: string]: object } = {
    Cluster: { infrastructureRef: provider("FooCluster") },
    Machine: {
      clusterName: name,
      bootstrap: { dataSecretName: name },
      infrastructureRef: provider("FooMachine"),
    },
    MachineHealthCheck: {
      clusterName: name,
      selector: { matchLabels: { set: name } },
      checks: { nodeStartupTimeoutSeconds: 600 },
    },
  };
  return FAMILIES.flatMap((kind) => {
    const spec = specs[kind.kind];
    if (spec === undefined) return [];
    return [[kind, objectOf(kind, name, kind.kind === "Cluster" ? { labels } : owned, spec)] as const];
  });
}

function objectOf(kind: Kind, name: string, metadata: object, spec: object): KubeObject {
  return {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: { name, namespace: "default", ...metadata },
    spec,
  } as KubeObject;
}
