import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { ClusterName, Kind, KubeObject, ObjectKey } from "../../../shared/api/kinds.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import type { Reader } from "../../../shared/function/reads.ts";

/** Does not hear of a pause. */
export function deaf(good: AnyFunction): AnyFunction["step"] {
  return (object, { read, now }) =>
    good.step(unpaused(object), { now, read: { ...hidden(read), live: hidden(read.live) } });
}

function hidden<R extends Pick<Reader, "get">>(read: R): R {
  const get = async <T extends KubeObject>(kind: Kind<T>, key: ObjectKey, cluster?: ClusterName) => {
    const found = await read.get(kind, key, cluster);
    if (found === undefined || kind.kind !== Cluster.kind) return found;
    return { ...found, spec: { ...Reflect.get(found, "spec"), paused: false } };
  };
  return { ...read, get };
}

function unpaused(object: KubeObject): KubeObject {
  const { "cluster.x-k8s.io/paused": _, ...annotations } = object.metadata.annotations ?? {};
  return { ...object, metadata: { ...object.metadata, annotations } };
}
