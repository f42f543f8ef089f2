import type { Kind } from "../../../shared/api/kinds.ts";
import type { KubeClient } from "../../../shared/runtime/ports.ts";
import type { Seeded } from "../kernel/seeded.ts";
import type { World } from "../play/world.ts";
import { isRequest } from "../ports/request-operation.ts";
import { type AnyOperation, type Fault, isFunctionWrite } from "./fault.ts";
import { somebody } from "./somebody.ts";

const SECOND = 1_000;

/** another manager takes over a field of a status that a function is about to apply; no manager owns any. */
export const managers: readonly Fault[] = [
  {
    number: "X-28",
    title: "another manager owns a field that a function applies",
    rate: 1 / 500,
    isSite: (operation, world) => contestedAt(operation, world) !== undefined,
    strike(operation, world, chance) {
      const contested = contestedAt(operation, world);
      if (!isRequest(operation) || contested === undefined) return;
      takeOver(contested, world, chance);
      operation.delay(SECOND);
    },
  },
  {
    number: "X-49",
    title: "the server loses the managedFields of an object, and others apply to it",
    rate: 1 / 300,
    isSite: (operation, world) => contestedAt(operation, world) !== undefined,
    strike(operation, world, chance) {
      const contested = contestedAt(operation, world);
      if (!isRequest(operation) || contested === undefined) return;
      operation.run();
      const { kind, key, uid } = contested;
      world.ownerless.add(uid);
      const operations = [{ op: "replace", path: "/metadata/managedFields", value: [{}] }] as const;
      const lost = somebody(world).client.jsonPatch(kind, key, operations);
      const isApplied = chance.below(2) === 0;
      void lost.then(() => isApplied && share(contested, world, chance)).catch(() => undefined);
    },
  },
];

interface Condition {
  readonly type: string;
  readonly message?: string;
}

/** A condition that a function is about to apply and that is there already. */
interface Contested {
  readonly kind: Kind;
  readonly key: { readonly namespace: string; readonly name: string };
  readonly uid: string;
  readonly condition: Condition;
}

function contestedAt(operation: AnyOperation, { management }: World): Contested | undefined {
  if (!isFunctionWrite(operation) || operation.server !== management.address) return undefined;
  const path = /\/apis\/([^/]+)\/([^/]+)\/namespaces\/([^/]+)\/([^/]+)\/([^/]+)\/status\b/.exec(
    operation.request.path,
  );
  if (path === null || operation.request.method !== "PATCH") return undefined;
  const [, group = "", version = "", namespace = "", plural = "", name = ""] = path;
  const object = management.storage.collection(`${group}/${plural}`).find(`${namespace}/${name}`);
  const { conditions } = (object?.["status"] ?? {}) as { readonly conditions?: readonly Condition[] };
  const condition = conditions?.find(({ type }) => operation.request.body?.includes(`"type":"${type}"`));
  if (object === undefined || condition === undefined) return undefined;
  const kind = { group, version, kind: object.kind, plural, namespaced: true };
  return { kind, key: { namespace, name }, uid: object.metadata.uid, condition };
}

/** Says something else, and gives it up after a while. */
function takeOver({ condition, ...contested }: Contested, world: World, chance: Seeded): void {
  const conditions = [{ ...condition, message: "another manager was here" }];
  applied(contested, world, chance, async () => ({ status: { conditions } }));
}

/** Applies it as it is, and gives it up after a while. */
function share({ condition, ...contested }: Contested, world: World, chance: Seeded): void {
  applied(contested, world, chance, async (rival) => {
    const found = await rival.get(contested.kind, contested.key);
    const { conditions = [] } = (Object(found).status ?? {}) as {
      readonly conditions?: readonly Condition[];
    };
    const metadata = { ...contested.key, resourceVersion: found?.metadata.resourceVersion };
    return { metadata, status: { conditions: conditions.filter(({ type }) => type === condition.type) } };
  });
}

function applied(
  { kind, key }: Pick<Contested, "kind" | "key">,
  world: World,
  chance: Seeded,
  bodyOf: (rival: KubeClient) => Promise<object>,
): void {
  const { process, takeBack } = somebody(world);
  const rival = world.connect(process).as("rival");
  const identity = { apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind, metadata: key };
  const apply = (body: object): Promise<unknown> =>
    rival.apply(kind, key, { ...identity, ...body }, "status");
  void bodyOf(rival)
    .then(apply)
    .catch(() => undefined);
  world.troubles.lasting(SECOND + chance.below(60 * SECOND), () => {
    takeBack(async () => {
      if ((await rival.get(kind, key)) !== undefined) await apply({});
    });
  });
}
