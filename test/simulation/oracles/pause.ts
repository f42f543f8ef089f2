import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import { sameJson } from "../../../shared/api/path.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import type { RecordedWrite } from "../../../shared/runtime/attempt-record.ts";
import { parseKey } from "../../../shared/runtime/queue/key.ts";
import type { ObservedRun } from "../ports/observed-runs.ts";
import type { Oracle } from "./oracle.ts";
import { lastRead, objectsRead } from "./run-reads.ts";
import { onWrite, type SentWrite } from "./sent-write.ts";
import { type ServerHistory, serverHistoryOf } from "./server-history.ts";
import { createShown } from "./shown.ts";

const PAUSED = "cluster.x-k8s.io/paused";

/** Paused means silent: F-19. */
export const pause: readonly Oracle[] = [
  {
    number: "F-19",
    title:
      "while the server has a pause and the read model shows it, no function writes but finalizer and Paused",
    needs: { workloads: ["W-11"], why: "nothing is paused" },
    watch({ world, violated, evaluated }) {
      const { store, functions } = world;
      const history = serverHistoryOf(world);
      const shown = createShown(store);
      /** By run: what pauses it as the read model showed it when it began. */
      const pausers = new WeakMap<ObservedRun, readonly Pauser[]>();
      world.runs.onBegin((run) => {
        const { reconciles } = functions.find(({ spec }) => spec.name === run.functionName)?.spec ?? {};
        const parts = parseKey(run.key);
        if (reconciles === undefined || parts === undefined) return;
        const type = typeOf(reconciles);
        const own = shown.find(type, `${parts.namespace}/${parts.name}`);
        if (own === undefined) return;
        const cluster = type === CLUSTERS ? own : shown.find(CLUSTERS, clusterOf(own));
        const found: Pauser[] = [{ type, object: own, pauses: isAnnotated }];
        if (cluster !== undefined && (type === CLUSTERS || isItsCluster(cluster, own)))
          found.push({ type: CLUSTERS, object: cluster, pauses: isPausedCluster });
        pausers.set(
          run,
          found.filter(({ object, pauses }) => pauses(object)),
        );
      });
      onWrite(world, ({ run, title, ...write }) => {
        if (run === undefined || history.isLostSince(run.startedInStep)) return;
        const isStill = ({ type, object, pauses }: Pauser): boolean =>
          history
            .since(type, keyOf(object), run.startedInStep)
            .every((each) => each?.metadata.uid === object.metadata.uid && pauses(each));
        const pauser = pausers.get(run)?.find(isStill);
        if (pauser === undefined) return;
        evaluated();
        if (!isQuietWrite(write, history))
          violated(`${title} while ${pauser.type} ${keyOf(pauser.object)} pauses it`);
      });
    },
  },
  {
    number: "F-19",
    title: "a run that sees a pause writes nothing but the finalizer and the Paused condition",
    needs: { workloads: ["W-11"], why: "nothing is paused" },
    watch({ world: { runs, functions }, violated, evaluated }) {
      runs.onEnd(({ functionName, key, record }) => {
        const read = objectsRead(record).map(({ object }) => object);
        // Who has asked the API server goes by its answer.
        const [own] = read;
        const newest = read.findLast(
          ({ kind, metadata }) => kind === own?.kind && metadata.name === own.metadata.name,
        );
        const isPaused =
          newest?.metadata.annotations?.[PAUSED] !== undefined ||
          isPausedCluster(
            read.findLast(({ kind, metadata }) => kind === "Cluster" && isClusterOf(metadata, own)),
          );
        if (!isPaused) return;
        evaluated();
        for (const write of record?.writes ?? []) {
          if (!isQuiet(write, lastRead(record, write.kind.kind, write.key), ownedBy(functions, functionName)))
            violated(
              `${functionName} ${key}: ${write.verb} ${write.kind.kind} ${JSON.stringify(write.body)}`,
            );
        }
      });
    },
  },
];

/**
 * Who names its Cluster is paused by name; a provider's object only by the Cluster that owns it, not by a
 * later one under that name.
 */
function isClusterOf({ name, uid }: KubeObject["metadata"], object: KubeObject | undefined): boolean {
  const { spec, metadata } = (object ?? {}) as Partial<KubeObject> & {
    readonly spec?: { readonly clusterName?: string };
  };
  if (spec?.clusterName === name) return true;
  return (metadata?.ownerReferences ?? []).every(
    (owner) => owner.kind !== "Cluster" || owner.name !== name || owner.uid === uid,
  );
}

function isPausedCluster(object: KubeObject | undefined): boolean {
  return (object as { readonly spec?: { readonly paused?: boolean } } | undefined)?.spec?.paused === true;
}

/** The members of the status that a function owns; another function may own the rest. */
function ownedBy(functions: readonly AnyFunction[], name: string): ReadonlySet<string> | "all" {
  const { owns = [] } = functions.find(({ spec }) => spec.name === name)?.spec ?? {};
  return owns.includes("status") ? "all" : new Set(owns.map((path) => path.split(".")[1] ?? ""));
}

function isQuiet(
  { verb, body, subresource }: RecordedWrite,
  read: KubeObject | undefined,
  owned: ReadonlySet<string> | "all",
): boolean {
  if (verb === "patch") return isSilent(body);
  if (verb !== "apply" || subresource !== "status") return false;
  // An apply says nothing of the members and conditions of others. That it takes none away, the answer to the write shows.
  const own = Object.entries(statusOf(read)).filter(([member]) => owned === "all" || owned.has(member));
  return sameJson(
    withoutPaused(statusOf(body)),
    withoutPaused(saidOf(Object.fromEntries(own), statusOf(body))),
  );
}

/** The members that an apply says, at every depth, and of each list of conditions those that it says in that list. */
function saidOf(read: object, body: object): object {
  const isMembers = (value: unknown): value is object => Object(value) === value && !Array.isArray(value);
  const said = new Map<string, unknown>(Object.entries(body));
  return Object.fromEntries(
    Object.entries(read)
      .filter(([member]) => said.has(member))
      .map(([member, value]) => {
        const other = said.get(member);
        if (member === "conditions") return [member, ofTypesIn(other, value)];
        return [member, isMembers(value) && isMembers(other) ? saidOf(value, other) : value];
      }),
  );
}

/** Another function may own conditions of one list, while the deprecated list beside it has one owner. */
function ofTypesIn(said: unknown, conditions: unknown): unknown {
  const types = new Set((said as readonly { readonly type: string }[]).map(({ type }) => type));
  return (conditions as readonly { readonly type: string }[]).filter(({ type }) => types.has(type));
}

/** Whether a patch changes no field but finalizers: a write of Paused may end the entry of a manager that the server has lost. */
function isSilent(body: unknown): boolean {
  return (body as readonly PatchOperation[]).every(
    ({ op, path }) => op === "test" || /^\/metadata\/(finalizers|managedFields)(\/|$)/.test(path),
  );
}

function statusOf(object: unknown): object {
  return (object as { readonly status?: object } | undefined)?.status ?? {};
}

/** The status but for the Paused condition, and for which generation it was written. */
function withoutPaused(status: object): unknown {
  return JSON.parse(JSON.stringify(status), (member, value: unknown) => {
    if (member === "observedGeneration") return undefined;
    if (!Array.isArray(value)) return value;
    const others = value.filter(({ type }) => type !== "Paused");
    return others.length === 0 ? undefined : others;
  });
}

const CLUSTERS = "cluster.x-k8s.io/clusters";

/** Returns the pause of a run: its own object by annotation, or the Cluster of that by its spec. */
interface Pauser {
  readonly type: string;
  readonly object: KubeObject;
  readonly pauses: (object: KubeObject | undefined) => boolean;
}

function typeOf({ group, plural }: { readonly group: string; readonly plural: string }): string {
  return `${group}/${plural}`;
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}

/** Key of the Cluster that an object names, or that owns it. */
function clusterOf({
  metadata,
  spec,
}: KubeObject & { readonly spec?: { readonly clusterName?: string } }): string {
  const owner = metadata.ownerReferences?.find(({ kind }) => kind === "Cluster")?.name;
  return `${metadata.namespace ?? ""}/${spec?.clusterName ?? owner ?? ""}`;
}

function isAnnotated(object: KubeObject | undefined): boolean {
  return object?.metadata.annotations?.[PAUSED] !== undefined;
}

/** By the name that it has to have, or as the owner that it is: a later Cluster of that name pauses nothing of it. */
function isItsCluster(
  cluster: KubeObject,
  object: KubeObject & { readonly spec?: { readonly clusterName?: string } },
) {
  if (object.spec?.clusterName !== undefined) return true;
  return object.metadata.ownerReferences?.some(({ uid }) => uid === cluster.metadata.uid) === true;
}

/** Whether a write that was carried out changes the finalizers or the Paused condition only. */
function isQuietWrite(
  { verb, body, place, answer }: Omit<SentWrite, "run" | "title">,
  history: ServerHistory,
): boolean {
  if (verb === "patch" && place.subresource === "") return isSilent(body);
  if (verb !== "apply" || place.subresource !== "status" || answer === undefined) return false;
  const [before] = history.since(place.type, `${place.namespace}/${place.name}`, 0).slice(-2);
  return sameJson(withoutPaused(statusOf(answer)), withoutPaused(statusOf(before)));
}
