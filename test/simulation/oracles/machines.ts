import type { KubeObject, OwnerReference } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineSet } from "../../../shared/api/machineset.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import { parseKey } from "../../../shared/runtime/queue/key.ts";
import { anyKindOf } from "../../support/all-kinds.ts";
import type { World } from "../play/world.ts";
import type { Oracle } from "./oracle.ts";
import { onWrite, placeOf, type SentWrite } from "./sent-write.ts";
import { type ServerHistory, serverHistoryOf } from "./server-history.ts";

const MACHINES = "cluster.x-k8s.io/machines";
const SETS = "cluster.x-k8s.io/machinesets";
const FINALIZER = "machine.cluster.x-k8s.io";
const RESERVATION = "capstan.dev/machine-reservation";

const SCALED = ["W-22", "W-24"];
const TAKEN_DOWN = ["W-21", "W-22", "W-23", "W-24"];

/** Machines of sets and control planes, and the end of a Machine: F-46, F-47, F-48. */
export const machines: readonly Oracle[] = [
  {
    number: "F-46",
    title: "a Machine is made under a name that was reserved for it before, and under no name twice",
    needs: { workloads: SCALED, why: "no Machine is made by a set or a control plane" },
    watch({ world, violated, evaluated }) {
      const history = serverHistoryOf(world);
      /** Steps of the kernel, by owner and name. */
      const made = new Map<string, number>();
      const gone = new Set<string>();
      world.management.onChange((type, { type: what, object }) => {
        const owner = type === MACHINES ? makerOf(object as unknown as Machine) : undefined;
        if (what === "DELETED" && owner !== undefined) gone.add(`${owner.uid} ${object.metadata.name}`);
      });
      /**
       * A person, or a health check, took it away before all reserved Machines were made: its name is still free for
       * the one in its place.
       */
      const isFreeAgain = (known: string, { metadata }: Machine, owner: OwnerReference): boolean => {
        const versions = versionsOf(
          history,
          owner,
          `${metadata.namespace}/${owner.name}`,
          made.get(known) ?? 0,
        );
        return gone.delete(known) && versions.every((one) => reservedBy(one).includes(metadata.name));
      };
      onCreatedMachine(world, (machine, owner, { run, isLate, title }) => {
        evaluated();
        const { namespace, name } = machine.metadata;
        const known = `${owner.uid} ${name}`;
        const since = run?.startedInStep ?? 0;
        // A create that the server carries out late may meet a Machine that has come and gone.
        const isFree = !made.has(known) || isFreeAgain(known, machine, owner);
        if (!isFree && !isLate && !history.isLostSince(0))
          violated(`${name} is made a second time: ${title}`);
        made.set(known, world.kernel.steps);
        const versions = versionsOf(history, owner, `${namespace}/${owner.name}`, since);
        const isReserved = versions.some((version) => reservedBy(version).includes(name));
        if (!isReserved && !history.isLostSince(since))
          violated(`${name} was not reserved on ${owner.name}: ${title}`);
      });
    },
  },
  {
    number: "F-46",
    title: "a set makes no more Machines than it wants",
    needs: { workloads: ["W-22"], why: "no set is scaled" },
    watch({ world, violated, evaluated }) {
      const history = serverHistoryOf(world);
      onCreatedMachine(world, ({ metadata }, owner, { run, isLate }) => {
        const since = run?.startedInStep ?? 0;
        if (owner.kind !== "MachineSet" || isLate || history.isLostSince(since)) return;
        evaluated();
        const sets = history.since(SETS, `${metadata.namespace}/${owner.name}`, since) as readonly (
          | MachineSet
          | undefined
        )[];
        const wanted = Math.max(...sets.map((set) => set?.spec.replicas ?? 0));
        const all = [...world.management.storage.collection(MACHINES).values()] as readonly object[];
        const alive = (all as readonly Machine[]).filter(
          (machine) =>
            machine.metadata.deletionTimestamp === undefined && makerOf(machine)?.uid === owner.uid,
        );
        if (alive.length > wanted) violated(`${owner.name} has ${alive.length} Machines and wants ${wanted}`);
      });
    },
  },
  {
    number: "F-47",
    title: "no Pod is evicted before the start of the drain is stored, or while a hook holds it",
    needs: { workloads: ["W-23"], why: "no Node has Pods" },
    watch({ world, violated, evaluated }) {
      const history = serverHistoryOf(world);
      world.network.witness(({ process, request }) => {
        const place = placeOf(request.path);
        if (request.method !== "POST" || place?.subresource !== "eviction") return;
        if (!process.name.startsWith("worker")) return;
        evaluated();
        const run = world.runs.of(request.headers["audit-id"] ?? "");
        const { namespace, name } = parseKey(run?.key ?? "") ?? { namespace: "", name: "" };
        const machine = stored<Machine>(world, MACHINES, `${namespace}/${name}`);
        if (machine?.status?.deletion?.nodeDrainStartTime === undefined)
          violated(`${place.name} is evicted for Machine ${name}, which has no nodeDrainStartTime`);
        // A hook that comes while the run is on its way comes too late for it.
        const versions = history.since(MACHINES, `${namespace}/${name}`, run?.startedInStep ?? 0);
        if (versions.length > 0 && versions.every(isHeld) && !history.isLostSince(run?.startedInStep ?? 0))
          violated(`${place.name} is evicted for Machine ${name}, whose drain a hook holds`);
      });
    },
  },
  {
    number: "F-48",
    title:
      "a Machine loses its Node and its finalizer only after answers of the same run by which config and infrastructure are gone",
    needs: { workloads: TAKEN_DOWN, why: "no Machine is taken down" },
    watch({ world, violated, evaluated }) {
      const missing = missingIn(world);
      onWrite(world, (write) => {
        if (write.functionName !== "machine-delete" || !(isNodeDelete(write) || isLetGo(write))) return;
        const { namespace, name } = parseKey(write.run?.key ?? "") ?? { namespace: "", name: "" };
        const machine = machineOf(write) ?? stored<Machine>(world, MACHINES, `${namespace}/${name}`);
        if (machine === undefined) return;
        evaluated();
        const { infrastructureRef, bootstrap } = machine.spec;
        for (const reference of [infrastructureRef, bootstrap.configRef])
          if (reference !== undefined && !missing(write.runId, reference, namespace))
            violated(`${reference.kind} ${reference.name} was not found gone before: ${write.title}`);
      });
    },
  },
];

/** Calls back for each Machine that a function has made for its controller, pools left out: their providers name them. */
function onCreatedMachine(
  world: World,
  observer: (machine: Machine, owner: OwnerReference, write: SentWrite) => void,
): void {
  onWrite(world, (write) => {
    if (write.verb !== "create" || write.place.type !== MACHINES || write.code !== 201) return;
    const machine = write.answer as Machine;
    const owner = makerOf(machine);
    if (owner !== undefined && owner.kind !== "MachinePool") observer(machine, owner, write);
  });
}

function makerOf({ metadata }: KubeObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

function versionsOf(
  history: ServerHistory,
  { apiVersion, kind }: OwnerReference,
  key: string,
  since: number,
): readonly (KubeObject | undefined)[] {
  const [group = ""] = apiVersion.split("/");
  return history.since(`${group}/${pluralOf(group, kind)}`, key, since);
}

/** Returns the names that an object has reserved for Machines. */
export function reservedBy(object: KubeObject | undefined): readonly string[] {
  return JSON.parse(object?.metadata.annotations?.[RESERVATION] ?? "[]") as readonly string[];
}

function stored<T extends KubeObject>({ management }: World, type: string, key: string): T | undefined {
  return management.storage.collection(type).find(key) as unknown as T | undefined;
}

function isHeld(object: KubeObject | undefined): boolean {
  const names = Object.keys(object?.metadata.annotations ?? {});
  return names.some((name) => name.startsWith("pre-drain.delete.hook.machine.cluster.x-k8s.io"));
}

function isNodeDelete({ verb, place }: SentWrite): boolean {
  return verb === "delete" && place.type === "/nodes";
}

/** A patch that takes our finalizer away. */
function isLetGo({ verb, place, body }: SentWrite): boolean {
  if (verb !== "patch" || place.type !== MACHINES || !Array.isArray(body)) return false;
  const operations = body as readonly PatchOperation[];
  return operations.some(({ op, path }) => op === "remove" && path.startsWith("/metadata/finalizers"));
}

/** The Machine in the answer; the patch that lets it go is answered with the last of it. */
function machineOf({ place, answer }: SentWrite): Machine | undefined {
  return place.type === MACHINES &&
    answer?.kind === "Machine" &&
    answer.metadata.finalizers?.includes(FINALIZER) !== true
    ? (answer as Machine)
    : undefined;
}

interface Named {
  readonly apiGroup: string;
  readonly kind: string;
  readonly name: string;
}

/** Whether a run has been answered that an object is not there, or that it belongs to something else. */
function missingIn(world: World): (runId: string | undefined, of: Named, namespace: string) => boolean {
  const known = new Map<string, Set<string>>();
  world.network.witness(({ request, code, text }) => {
    const { "audit-id": runId }: { readonly [name: string]: string | undefined } = request.headers;
    const place = placeOf(request.path);
    if (runId === undefined || place === undefined || place.name === "") return;
    const isGone = request.method === "DELETE" ? isEnded(code, text) : isMissing(code, text, place.name);
    if (!isGone || !["GET", "DELETE"].includes(request.method)) return;
    const found = known.get(runId) ?? new Set<string>();
    known.set(runId, found.add(`${place.type} ${place.namespace}/${place.name}`));
  });
  return (runId, { apiGroup, kind, name }, namespace) =>
    known.get(runId ?? "")?.has(`${apiGroup}/${pluralOf(apiGroup, kind)} ${namespace}/${name}`) === true ||
    !isServed(world, apiGroup, kind);
}

function isMissing(code: number, text: string, name: string): boolean {
  return code === 404 || isOfAnother(code, text, name);
}

/** A delete of an object that a finalizer keeps is answered with the object. */
function isEnded(code: number, text: string): boolean {
  return code === 404 || (code === 200 && (JSON.parse(text) as KubeObject).kind === "Status");
}

/** An object with a controller of another name is not the Machine's: it stays. */
function isOfAnother(code: number, text: string, machine: string): boolean {
  if (code !== 200) return false;
  const owner = makerOf(JSON.parse(text) as KubeObject);
  return owner !== undefined && owner.kind === "Machine" && owner.name !== machine;
}

/** A kind that is gone has taken its objects along. */
function isServed({ management }: World, group: string, kind: string): boolean {
  const crd = management.storage
    .collection("apiextensions.k8s.io/customresourcedefinitions")
    .find(`/${pluralOf(group, kind)}.${group}`);
  return crd !== undefined;
}

function pluralOf(group: string, kind: string): string {
  return anyKindOf(group, kind)?.plural ?? kind;
}
