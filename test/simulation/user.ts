import { parseAllDocuments } from "yaml";
import { applyManifests } from "../../infra/cli/apply-manifests.ts";
import type { Kind, KubeObject } from "../../shared/api/kinds.ts";
import type { KubeClient, PatchOperation } from "../../shared/runtime/ports.ts";
import type { World } from "./world.ts";

/** Somebody with kubectl: repeats what is refused, and looks at objects of namespace `default`. */
export interface User {
  apply(yaml: string): Promise<void>;
  patch(kind: Kind, name: string, operations: readonly PatchOperation[]): Promise<void>;
  delete(kind: Kind, name: string): Promise<void>;
  /** The object as the management server has it now. */
  see<T extends KubeObject>(kind: Kind<T>, name: string): T | undefined;
  /** Looks again and again until it holds. */
  until(holds: () => boolean): Promise<void>;
  rest(ms: number): Promise<void>;
}

const LOOK_MS = 500;
const RETRY_MS = 1_000;

export function createUser(world: World): User {
  const process = world.kernel.process("user");
  const client: KubeClient = world.connect(process).as("user");
  const rest = (ms: number): Promise<void> => new Promise((resolve) => process.clock.after(ms, resolve));
  const untilAccepted = async (edit: () => Promise<unknown>): Promise<void> => {
    for (;;) {
      try {
        await edit();
        return;
      } catch {
        await rest(RETRY_MS);
      }
    }
  };
  const see: User["see"] = <T extends KubeObject>({ group, plural }: Kind<T>, name: string) =>
    world.management.storage.collection(`${group}/${plural}`).find(`default/${name}`) as T | undefined;
  return {
    see,
    rest,
    async apply(yaml) {
      const objects = parseAllDocuments(yaml).flatMap((document) =>
        "errors" in document ? [document.toJS() as KubeObject] : [],
      );
      await untilAccepted(() => applyManifests(client, objects));
    },
    patch: (kind, name, operations) =>
      untilAccepted(() => client.jsonPatch(kind, { namespace: "default", name }, operations)),
    delete: (kind, name) =>
      untilAccepted(() => {
        const uid = see(kind, name)?.metadata.uid ?? "";
        return client.delete(kind, { namespace: "default", name }, { uid });
      }),
    async until(holds) {
      while (!holds()) await rest(LOOK_MS);
    },
  };
}
