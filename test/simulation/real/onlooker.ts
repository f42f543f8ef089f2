import { setTimeout } from "node:timers/promises";
import { readManagement } from "../../../infra/cli/management.ts";
import { applyManifests } from "../../../infra/cli/up/apply-manifests.ts";
import { systemClock } from "../../../infra/platform/clock.ts";
import { createServer } from "../../../infra/platform/kube/client.ts";
import type { ServerAccess } from "../../../infra/platform/kube/server-access.ts";
import { Node, Secret } from "../../../shared/api/core.ts";
import type { Kind, KubeObject } from "../../../shared/api/kinds.ts";
import { ALL_KINDS } from "../../support/all-kinds.ts";
import { silentLog } from "../../support/silent-log.ts";
import { insist } from "../play/insist.ts";
import { manifestsIn } from "../play/manifests-in.ts";
import { comparable, type State, workloadServersOf } from "../play/state.ts";
import { takesAlong } from "../play/takes-along.ts";
import type { User } from "../play/user.ts";
import { withWorkloadClient } from "../play/workload-client.ts";

/**
 * A user of a real server: `see` shows what the last look of `until` has found. Once disposed of, whatever it still
 * waits for rejects with an `AbortError`.
 */
export interface Onlooker extends User, AsyncDisposable {
  /** Everything that exists, comparable between runs. */
  state(): Promise<State>;
}

const LOOK_MS = 200;
const RETRY_MS = 500;
/** Kinds of namespace `default` that make up the result. */
const COMPARED = ALL_KINDS.filter(({ crd, plural }) => crd !== undefined || plural === Secret.plural);

export async function createOnlooker(kubeconfigFile: string): Promise<Onlooker> {
  const connect = await readManagement(kubeconfigFile, { clock: systemClock, log: silentLog });
  const server = connect();
  const client = server.as("user");
  let seen: ReadonlyMap<string, readonly KubeObject[]> = new Map();

  const look = async (): Promise<void> => {
    const lists = COMPARED.map(async (kind) => {
      const { items } = await client.list(kind, { namespace: "default" });
      return [typeOf(kind), items] as const;
    });
    seen = new Map(await Promise.all(lists));
  };
  const list = <T extends KubeObject>(kind: Kind<T>): readonly T[] =>
    (seen.get(typeOf(kind)) ?? []) as readonly KubeObject[] as readonly T[];
  const deletions: { readonly kind: string; readonly name: string }[] = [];
  const gone = new AbortController();
  const wait = (ms: number): Promise<void> => setTimeout(ms, undefined, { signal: gone.signal });
  const untilAccepted = (edit: () => Promise<unknown>): Promise<void> => insist(edit, () => wait(RETRY_MS));
  return {
    list,
    see: (kind, name) => list(kind).find(({ metadata }) => metadata.name === name),
    hasDeleted: ({ kind }, name) => deletions.some((deleted) => takesAlong(deleted, { kind, name })),
    rest: wait,
    apply: (yaml) =>
      untilAccepted(() =>
        applyManifests(
          client,
          manifestsIn(yaml).map((object) => ({ object })),
        ),
      ),
    patch: (kind, name, operations, subresource) =>
      untilAccepted(() => client.jsonPatch(kind, { namespace: "default", name }, operations, subresource)),
    delete(kind, name) {
      deletions.push({ kind: kind.kind, name });
      return untilAccepted(async () => {
        const key = { namespace: "default", name };
        const uid = (await client.get(kind, key))?.metadata.uid;
        if (uid !== undefined) await client.delete(kind, key, { uid });
      });
    },
    onWorkload: (cluster, work) =>
      untilAccepted(async () => {
        const key = { namespace: "default", name: `${cluster}-kubeconfig` };
        await withWorkloadClient(await client.get(Secret, key), { clock: systemClock }, work);
      }),
    async until(holds) {
      await untilAccepted(look);
      while (!holds()) {
        await wait(LOOK_MS);
        await untilAccepted(look);
      }
    },
    async state() {
      await look();
      const listed = [...seen].flatMap(([type, objects]) => objects.map((object) => ({ type, object })));
      const secrets = seen.get(typeOf(Secret)) ?? [];
      const nodes = [...workloadServersOf(secrets)].map(({ access }) => nodesOf(access));
      return comparable([...listed, ...(await Promise.all(nodes)).flat()]);
    },
    async [Symbol.asyncDispose]() {
      gone.abort();
      server[Symbol.dispose]();
    },
  };
}

function typeOf({ group, plural }: Kind): string {
  return `${group}/${plural}`;
}

async function nodesOf(access: ServerAccess) {
  using server = createServer(access, { clock: systemClock });
  const { items } = await server.as("onlooker").list(Node, {});
  return items.map((object) => ({ type: `workload /${Node.plural}`, object }));
}
