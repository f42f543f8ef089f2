import type { Kind } from "../../../shared/api/kinds.ts";
import type { Seeded } from "../kernel/seeded.ts";
import type { World } from "../play/world.ts";
import { isRequest } from "../ports/request-operation.ts";
import { type AnyOperation, type Fault, isFunctionWrite } from "./fault.ts";
import { somebody } from "./somebody.ts";

const SECOND = 1_000;

/** another manager takes over a field of a status that a function is about to apply. */
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
];

interface Condition {
  readonly type: string;
  readonly message?: string;
}

/** A condition that a function is about to apply and that is there already. */
interface Contested {
  readonly kind: Kind;
  readonly key: { readonly namespace: string; readonly name: string };
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
  return { kind, key: { namespace, name }, condition };
}

/** Says something else, and gives it up after a while. */
function takeOver({ kind, key, condition }: Contested, world: World, chance: Seeded): void {
  const { process, takeBack } = somebody(world);
  const rival = world.connect(process).as("rival");
  const identity = { apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind, metadata: key };
  const apply = (body: object): Promise<unknown> =>
    rival.apply(kind, key, { ...identity, ...body }, "status");
  const conditions = [{ ...condition, message: "another manager was here" }];
  void apply({ status: { conditions } }).catch(() => undefined);
  world.troubles.lasting(SECOND + chance.below(60 * SECOND), () => {
    takeBack(async () => {
      if ((await rival.get(kind, key)) !== undefined) await apply({});
    });
  });
}
