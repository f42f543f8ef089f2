import { applyManifests } from "../../../infra/cli/up/apply-manifests.ts";
import { Secret } from "../../../shared/api/core.ts";
import type { Kind, KubeObject } from "../../../shared/api/kinds.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import type { KubeClient } from "../../../shared/runtime/ports.ts";
import { insist } from "./insist.ts";
import { replaceLostInstances } from "./lost-instances.ts";
import { createMakingWay } from "./making-way.ts";
import { manifestsIn } from "./manifests-in.ts";
import { takesAlong } from "./takes-along.ts";
import { withWorkloadClient } from "./workload-client.ts";
import type { World } from "./world.ts";

/** A person with kubectl: repeats refused requests, and looks at objects of namespace `default`. */
export interface User {
  apply(yaml: string): Promise<void>;
  patch(
    kind: Kind,
    name: string,
    operations: readonly PatchOperation[],
    subresource?: "status",
  ): Promise<void>;
  delete(kind: Kind, name: string): Promise<void>;
  /** The object as the management server has it now. */
  see<T extends KubeObject>(kind: Kind<T>, name: string): T | undefined;
  /** All of a kind, by name. */
  list<T extends KubeObject>(kind: Kind<T>): readonly T[];
  /** Works on the workload server of a Cluster, as often as it takes. */
  onWorkload(cluster: string, work: (client: KubeClient) => Promise<unknown>): Promise<void>;
  /** Whether it has been deleted, itself or with what it belongs to; it may still be there. */
  hasDeleted(kind: Pick<Kind, "kind">, name: string): boolean;
  /** Looks again and again until it holds. */
  until(holds: () => boolean): Promise<void>;
  rest(ms: number): Promise<void>;
}

const LOOK_MS = 500;
const GUARDED_MS = 60_000;
const RETRY_MS = 1_000;

/** Something the user has done and wants to last. */
interface Edit {
  readonly kind: string;
  readonly name: string;
  readonly what: "apply" | "patch" | "delete";
  readonly make: () => Promise<unknown>;
  /** Version of the server when it was accepted; infinite until then. */
  acceptedAt: number;
}

export function createUser(world: World): User {
  const { management } = world;
  const process = world.kernel.process("user");
  const client = world.connect(process).as("user");
  const edits: Edit[] = [];
  let last: Promise<unknown> = Promise.resolve();
  const rest = (ms: number): Promise<void> => new Promise((resolve) => process.clock.after(ms, resolve));
  const untilAccepted = (edit: () => Promise<unknown>): Promise<void> => insist(edit, () => rest(RETRY_MS));
  /** One after the other, also when some of them are recreated. */
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const next = last.then(work);
    last = next;
    return next;
  };
  const make = async (edit: Edit): Promise<void> => {
    await untilAccepted(edit.make);
    edit.acceptedAt = management.storage.version;
  };
  const begin = (edit: Omit<Edit, "acceptedAt">): Promise<void> => {
    const begun: Edit = { ...edit, acceptedAt: Number.POSITIVE_INFINITY };
    edits.push(begun);
    return inTurn(() => make(begun));
  };

  // Lost edits are sent to the server again, and a lost object is recreated, as GitOps tools do.
  management.onRestore((version) => {
    const first = edits.findIndex(({ acceptedAt }) => acceptedAt > version);
    const lost = edits.filter((edit, index) => (first >= 0 && index >= first) || isMissing(edit));
    void inTurn(async () => {
      for (const edit of lost) {
        // An object that is deleted before it has a finalizer leaves its dependents behind.
        if (edit.what === "delete") await rest(GUARDED_MS);
        await make(edit);
      }
    });
  });
  /** A restore may bring a moment back at which it was just being recreated. */
  const isMissing = ({ kind, name }: Edit): boolean => {
    const all = [...management.storage.collections].flatMap(([, objects]) => [...objects.values()]);
    const isThere = all.some((object) => object.kind === kind && object.metadata.name === name);
    return !isThere && !hasDeleted({ kind }, name);
  };
  const hasDeleted: User["hasDeleted"] = ({ kind }, name) =>
    edits.some((edit) => edit.what === "delete" && takesAlong(edit, { kind, name }));
  const isApplied = ({ kind }: Pick<Kind, "kind">, name: string): boolean =>
    edits.some((edit) => edit.what === "apply" && edit.kind === kind && edit.name === name);
  // Objects that users have only patched are created by others.
  const isWanted = ({ kind, metadata: { name } }: KubeObject): boolean =>
    isApplied({ kind }, name) && !hasDeleted({ kind }, name);
  const onWorkload: User["onWorkload"] = (cluster, work) => {
    const { connect } = world.network.of(process);
    return withWorkloadClient(see(Secret, `${cluster}-kubeconfig`), { clock: process.clock, connect }, work);
  };
  replaceLostInstances(world, { client, rest, onWorkload });
  const makingWay = createMakingWay(world, client, rest);
  management.onChange((type, { type: change, key, object }) => {
    if (!isWanted(object as KubeObject)) return;
    if (object.metadata.deletionTimestamp !== undefined) makingWay.noteGoing(object as KubeObject);
    if (change !== "DELETED") return;
    // Not in turn: what waits for its turn may be an edit of this object.
    void rest(RETRY_MS).then(async () => {
      while (makingWay.isInTheWay(object as KubeObject)) await rest(RETRY_MS);
      const isBack = management.storage.collection(type).find(key) !== undefined;
      if (isBack || !isWanted(object as KubeObject)) return;
      const { kind, metadata } = object;
      for (const edit of edits) if (edit.kind === kind && edit.name === metadata.name) await make(edit);
    });
  });

  const see: User["see"] = <T extends KubeObject>({ group, plural }: Kind<T>, name: string) =>
    management.storage.collection(`${group}/${plural}`).find(`default/${name}`) as T | undefined;
  const list: User["list"] = <T extends KubeObject>({ group, plural }: Kind<T>) =>
    [
      ...management.storage.collection(`${group}/${plural}`).values(),
    ] as readonly KubeObject[] as readonly T[];
  return {
    see,
    list,
    hasDeleted,
    rest,
    async apply(yaml) {
      for (const object of manifestsIn(yaml)) {
        const { kind, metadata } = object;
        const apply = () => applyManifests(client, [{ object }]);
        await begin({ kind, name: metadata.name, what: "apply", make: apply });
      }
    },
    patch: (kind, name, operations, subresource) =>
      begin({
        kind: kind.kind,
        name,
        what: "patch",
        make: async () => {
          // Objects that users have deleted, or that others had made and that are gone, are not edited.
          if (see(kind, name) !== undefined || (isApplied(kind, name) && !hasDeleted(kind, name)))
            await client.jsonPatch(kind, { namespace: "default", name }, operations, subresource);
        },
      }),
    delete: (kind, name) =>
      begin({
        kind: kind.kind,
        name,
        what: "delete",
        make: () => {
          const uid = see(kind, name)?.metadata.uid ?? "";
          return client.delete(kind, { namespace: "default", name }, { uid });
        },
      }),
    onWorkload: (cluster, work) => inTurn(() => untilAccepted(() => onWorkload(cluster, work))),
    async until(holds) {
      while (!holds()) await rest(LOOK_MS);
    },
  };
}
