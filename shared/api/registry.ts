import { ConfigMap, Connection, CustomResourceDefinition, Event, Namespace, Node, Secret } from "./core.ts";
import type { Kind } from "./kinds.ts";
import { TRAITS } from "./traits.ts";
import { DaemonSet, PersistentVolume, Pod, VolumeAttachment } from "./workload.ts";

/** Every kind of the core that Capstan has a type for. Capstan installs those with `crd`. */
export const KINDS: readonly Kind[] = [
  Node,
  Secret,
  ConfigMap,
  Namespace,
  Event,
  CustomResourceDefinition,
  Connection,
  Pod,
  DaemonSet,
  VolumeAttachment,
  PersistentVolume,
  ...TRAITS.map(({ kind }) => kind),
];

/** Finds a kind by its name; `undefined` for kinds that only the CRDs of a cluster define. */
export type KindLookup = (group: string, kind: string) => Kind | undefined;

export function lookupIn(kinds: readonly Kind[]): KindLookup {
  const byName = new Map(kinds.map((kind) => [`${kind.group}/${kind.kind}`, kind]));
  return (group, kind) => byName.get(`${group}/${kind}`);
}

/** Finds a kind of the core. Those of a provider are known where its functions are, see `knownKinds`. */
export const kindOf = lookupIn(KINDS);
