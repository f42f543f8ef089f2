import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { RecordedWrite } from "../../../shared/runtime/attempt-record.ts";
import { sameJson } from "../../../shared/runtime/path.ts";
import type { PatchOperation } from "../../../shared/runtime/ports.ts";
import type { Oracle } from "./oracle.ts";
import { lastRead, objectsRead } from "./run-reads.ts";

const PAUSED = "cluster.x-k8s.io/paused";

/** Paused means silent: F-19. */
export const pause: readonly Oracle[] = [
  {
    number: "F-19",
    title: "a run that sees a pause writes nothing but the finalizer and the Paused condition",
    watch({ world: { runs }, violated, evaluated }) {
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
          if (!isQuiet(write, lastRead(record, write.kind.kind, write.key)))
            violated(
              `${functionName} ${key}: ${write.verb} ${write.kind.kind} ${JSON.stringify(write.body)}`,
            );
        }
      });
    },
  },
];

/** Who names its Cluster is paused by name; a provider's object only by the Cluster that owns it, not by a later one under that name. */
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

function isQuiet({ verb, body, subresource }: RecordedWrite, read: KubeObject | undefined): boolean {
  if (verb === "patch")
    return (body as readonly PatchOperation[]).every(
      ({ op, path }) => op === "test" || path.startsWith("/metadata/finalizers"),
    );
  if (verb !== "apply" || subresource !== "status") return false;
  const status = (object: unknown) => (object as { readonly status?: object } | undefined)?.status ?? {};
  return sameJson(withoutPaused(status(body)), withoutPaused(status(read)));
}

/** The status but for the Paused condition, and for which generation it was written. */
function withoutPaused(status: object): unknown {
  return JSON.parse(JSON.stringify(status), (member, value: unknown) => {
    if (member === "observedGeneration") return undefined;
    if (!Array.isArray(value)) return value;
    const others = value.filter((each) => Object(each).type !== "Paused");
    return others.length === 0 ? undefined : others;
  });
}
