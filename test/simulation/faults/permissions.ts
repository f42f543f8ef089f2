import { parseKey } from "../../../shared/runtime/queue/key.ts";
import type { Seeded } from "../kernel/seeded.ts";
import type { World } from "../play/world.ts";
import { isRequest, type RequestOperation } from "../ports/request-operation.ts";
import { pausing } from "./edits.ts";
import { type Fault, isFunctionWrite, isOurs, isWorker } from "./fault.ts";
import { refusal } from "./refusal.ts";
import { somebody } from "./somebody.ts";

const SECOND = 1_000;

/** refusals of an API server to a function, until a user has repaired them. */
export const permissions: readonly Fault[] = [
  {
    number: "X-24",
    title: "a role is missing, or a token has expired, until it is repaired",
    rate: 1 / 500,
    isSite: isFunctionWrite,
    strike(operation, world, chance) {
      if (!isRequest(operation)) return;
      const isForbidden = chance.below(2) === 0;
      const answer = isForbidden ? refusal(403, "Forbidden") : refusal(401, "Unauthorized");
      const { process, server, request } = operation;
      operation.answer(answer);
      world.troubles.hit(SECOND + chance.below(120 * SECOND), (other) => {
        if (!isRequest(other) || other.server !== server || !isOurs(other.process)) return false;
        const isSame = isForbidden
          ? isWriteOf(other, String(request.headers["user-agent"]))
          : other.process === process;
        if (isSame) other.answer(answer);
        return isSame;
      });
    },
  },
  {
    number: "X-25",
    title:
      "admission rejects a write; then a user pauses the object and resumes it, or the policy stays for a while",
    rate: 1 / 500,
    isSite: isFunctionWrite,
    strike(operation, world, chance) {
      if (!isRequest(operation)) return;
      operation.answer(REJECTED);
      if (chance.below(2) === 0) return lookInto(operation, world, chance);
      const { server, request } = operation;
      world.troubles.hit(SECOND + chance.below(120 * SECOND), (other) => {
        if (!isRequest(other) || !other.isWrite || !isWorker(other.process) || other.server !== server)
          return false;
        const isSame = other.request.method === request.method && kindIn(other) === kindIn(operation);
        if (isSame) other.answer(REJECTED);
        return isSame;
      });
    },
  },
];

const REJECTED = refusal(422, "Invalid", [
  { reason: "FieldValueInvalid", message: "rejected by policy", field: "spec" },
]);

/** The object of a run is paused after a while, and resumed after another one: keys that died of it may live again. */
function lookInto({ request }: RequestOperation, world: World, chance: Seeded): void {
  const run = world.runs.of(String(request.headers["audit-id"]));
  const kind = world.functions.find(({ spec }) => spec.name === run?.functionName)?.spec.reconciles;
  const at = run && parseKey(run.key);
  if (kind === undefined || at === undefined) return;
  const { make, takeBack } = pausing(kind);
  const user = somebody(world);
  let paused: Promise<unknown> = Promise.resolve();
  const pauseMs = SECOND + chance.below(60 * SECOND);
  world.troubles.lasting(pauseMs, () => {
    paused = make.edit(user.client, at).catch(() => undefined);
  });
  world.troubles.lasting(pauseMs + SECOND + chance.below(60 * SECOND), () => {
    void paused.then(() => user.takeBack((client) => takeBack(client, at)));
  });
}

/** Of a path: group, version and resource, without namespace, name and query. */
function kindIn({ request }: RequestOperation): string {
  return request.path
    .replace(/\?.*/, "")
    .replace(/\/namespaces\/[^/]+/, "")
    .split("/")
    .slice(0, 5)
    .join("/");
}

function isWriteOf({ request, isWrite }: RequestOperation, userAgent: string): boolean {
  return isWrite && request.headers["user-agent"] === userAgent;
}
