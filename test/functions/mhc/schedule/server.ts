import type { ClusterName, Kind, KubeObject } from "../../../../shared/api/kinds.ts";
import type { PatchOperation } from "../../../../shared/api/patch.ts";
import { KubeError } from "../../../../shared/function/errors.ts";
import type { VirtualClock } from "../../../support/clock.ts";
import { patched } from "../../../support/patched.ts";

/** An object in its cluster. */
export interface Placed {
  readonly cluster: ClusterName;
  readonly object: KubeObject;
}

/** By cluster, kind and name: all are of one namespace. */
type State = ReadonlyMap<string, Placed>;

/** API servers that answer with what is stored at that instant, and remember all that was. */
export interface Server {
  state(): State;
  /** Everything as it was so long ago. */
  stateAt(atMs: number): State;
  get<T extends KubeObject>(cluster: ClusterName, kind: string, name: string): T | undefined;
  list<T extends KubeObject>(cluster: ClusterName, kind: string): readonly T[];
  /** Stores an object in a new version, whatever was there. */
  put(cluster: ClusterName, object: KubeObject): KubeObject;
  remove(cluster: ClusterName, kind: string, name: string): void;
  create(cluster: ClusterName, object: KubeObject): KubeObject;
  patch(
    place: { readonly cluster: ClusterName; readonly kind: Pick<Kind, "kind">; readonly name: string },
    operations: readonly PatchOperation[],
  ): KubeObject;
  delete(
    place: { readonly cluster: ClusterName; readonly kind: Pick<Kind, "kind">; readonly name: string },
    preconditions: { readonly uid: string; readonly resourceVersion?: string | undefined },
  ): KubeObject | undefined;
}

const textOf = (cluster: ClusterName, kind: string, name: string) => `${cluster} ${kind}/${name}`;

/** Calls `onWrite` after each stored write. */
export function createServer(clock: VirtualClock, onWrite: () => void): Server {
  const history: { atMs: number; state: State }[] = [{ atMs: 0, state: new Map() }];
  let version = 100;
  const state = (): State => history.at(-1)?.state ?? new Map();
  const store = (change: (draft: Map<string, Placed>) => void): void => {
    const draft = new Map(state());
    change(draft);
    history.push({ atMs: clock.now().getTime(), state: draft });
    onWrite();
  };
  const put: Server["put"] = (cluster, object) => {
    version += 1;
    const { name, uid = `uid-${version}` } = object.metadata;
    const stored = { ...object, metadata: { ...object.metadata, uid, resourceVersion: `${version}` } };
    store((draft) => draft.set(textOf(cluster, object.kind, name), { cluster, object: stored }));
    return stored;
  };
  const remove: Server["remove"] = (cluster, kind, name) =>
    store((draft) => draft.delete(textOf(cluster, kind, name)));
  const get = (cluster: ClusterName, kind: string, name: string) =>
    state().get(textOf(cluster, kind, name))?.object;
  return {
    state,
    stateAt: (atMs) => history.findLast((entry) => entry.atMs <= atMs)?.state ?? new Map(),
    get: <T extends KubeObject>(cluster: ClusterName, kind: string, name: string) =>
      get(cluster, kind, name) as T | undefined,
    list: <T extends KubeObject>(cluster: ClusterName, kind: string) =>
      [...state().values()]
        .filter((placed) => placed.cluster === cluster && placed.object.kind === kind)
        .map(({ object }) => object as T),
    put,
    remove,
    create(cluster, object) {
      if (get(cluster, object.kind, object.metadata.name) !== undefined) throw refusal(409, "AlreadyExists");
      const creationTimestamp = `${clock.now().toISOString().slice(0, 19)}Z`;
      return put(cluster, { ...object, metadata: { ...object.metadata, creationTimestamp } });
    },
    patch({ cluster, kind, name }, operations) {
      const found = get(cluster, kind.kind, name);
      if (found === undefined) throw refusal(404, "NotFound");
      return put(cluster, patchedBy(found, operations));
    },
    delete({ cluster, kind, name }, { uid, resourceVersion }) {
      const found = get(cluster, kind.kind, name);
      if (found === undefined) return undefined;
      const isAnother = resourceVersion !== undefined && found.metadata.resourceVersion !== resourceVersion;
      if (found.metadata.uid !== uid || isAnother) throw refusal(409, "Conflict");
      if ((found.metadata.finalizers ?? []).length === 0) remove(cluster, kind.kind, name);
      else put(cluster, deletingAt(found, clock.now()));
      return found;
    },
  };
}

function patchedBy(object: KubeObject, operations: readonly PatchOperation[]): KubeObject {
  try {
    return patched(object, operations);
  } catch {
    throw refusal(422, "Invalid");
  }
}

/** A lost race, as the client says it. */
function refusal(status: number, reason: string): KubeError {
  return new KubeError({ class: "Conflict", status, reason, message: `${reason} in a random schedule` });
}

export function deletingAt<T extends KubeObject>(object: T, now: Date): T {
  const { deletionTimestamp = `${now.toISOString().slice(0, 19)}Z` } = object.metadata;
  return { ...object, metadata: { ...object.metadata, deletionTimestamp } };
}
