import { systemClock } from "../../infra/platform/clock.ts";
import type { Server } from "../../infra/platform/kube/client.ts";
import { follow } from "../../infra/playground/sim/follow.ts";
import { Secret } from "../../shared/api/core.ts";
import { type Kind, type KubeObject, titleOf } from "../../shared/api/kinds.ts";
import { ALL_KINDS } from "./all-kinds.ts";
import { silentLog } from "./silent-log.ts";

/** Kinds with a CRD of Capstan, and Secrets. */
const MOVED_KINDS: readonly Kind[] = [
  ...ALL_KINDS.filter(({ crd, namespaced }) => crd !== undefined && namespaced),
  Secret as unknown as Kind,
];

/** An object as it was stored at one moment, or as it was last when it is gone. */
export interface Version {
  readonly object: KubeObject;
  readonly isGone: boolean;
}

/** Follows what a move takes of one namespace, with watches: no version is passed over. Disposing ends the watches. */
export interface Versions extends AsyncDisposable {
  /** Every version since the beginning, of all kinds in the order in which they were stored. */
  all(): readonly Version[];
  /** The objects that are there. */
  now(): readonly KubeObject[];
}

/** Resolves once the objects that are there are known. */
export async function followVersions(server: Server, namespace: string): Promise<Versions> {
  const stopping = new AbortController();
  const versions = new Map<string, Version>();
  const present = new Map<string, KubeObject>();
  const note = (object: KubeObject, isGone: boolean): void => {
    const { uid, resourceVersion } = object.metadata;
    // A watch that begins again lists what is known.
    versions.set(`${uid} ${resourceVersion} ${isGone}`, { object, isGone });
    if (isGone) present.delete(titleOf(object.kind, object.metadata));
    else present.set(titleOf(object.kind, object.metadata), object);
  };
  const listed = MOVED_KINDS.map(() => Promise.withResolvers<void>());
  const following = MOVED_KINDS.map((kind, at) =>
    follow({
      client: server.as("test"),
      kind,
      namespace,
      clock: systemClock,
      log: silentLog,
      signal: stopping.signal,
      onChange: note,
      onListed: () => listed[at]?.resolve(),
    }),
  );
  await Promise.all(listed.map(({ promise }) => promise));
  return {
    all: () => [...versions.values()].toSorted((a, b) => versionOf(a) - versionOf(b)),
    now: () => [...present.values()],
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await Promise.all(following);
    },
  };
}

/** Both API servers count all kinds together. */
function versionOf({ object }: Version): number {
  return Number(object.metadata.resourceVersion);
}
