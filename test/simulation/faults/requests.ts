import type { Seeded } from "../kernel/seeded.ts";
import type { World } from "../play/world.ts";
import type { RequestOperation } from "../ports/request-operation.ts";
import { type AnyOperation, type Fault, isFunctionWrite } from "./fault.ts";
import { refusal } from "./refusal.ts";

/** what an API server answers to a write instead of the truth, or after it. */
export const requests: readonly Fault[] = [
  onWrite("X-20", "another writer gets there first", 1 / 50, (request, world) => {
    const isManagement = request.server === world.management.address;
    if (isManagement) world.management.server.faults.add({ times: 1, effect: { kind: "race", by: "touch" } });
    request.run();
  }),
  onWrite("X-21", "throttled", 1 / 100, (request, _world, chance) => {
    const headers = chance.below(2) === 0 ? { headers: { "Retry-After": "1" } } : {};
    request.answer({ ...refusal(429, "TooManyRequests"), ...headers });
  }),
  onWrite("X-22", "server error before commit", 1 / 100, (request, _world, chance) => {
    const code = chance.pick([500, 503, 504]);
    request.answer(
      refusal(code, { 500: "InternalError", 503: "ServiceUnavailable", 504: "Timeout" }[code] ?? ""),
    );
  }),
  onWrite("X-23", "committed, then the connection breaks", 1 / 100, (request) => request.loseAnswer()),
  onWrite("X-27", "slow, and then dropped or carried out all the same", 1 / 50, (request, _world, chance) =>
    request.delay(100 + chance.below(60_000), chance.below(2) === 0),
  ),
  {
    number: "X-26",
    title: "already exists, or gone",
    rate: 1 / 50,
    isSite: (operation) => isFunctionWrite(operation) && /^(POST|DELETE)$/.test(operation.request.method),
    strike(operation) {
      if (operation.kind !== "request") return;
      const isCreate = operation.request.method === "POST";
      operation.replaceAnswer(isCreate ? refusal(409, "AlreadyExists") : refusal(404, "NotFound"));
    },
  },
  {
    number: "X-48",
    title: "an eviction is refused by a budget, a namespace that goes, or two budgets",
    rate: 1 / 20,
    isSite: (operation) => isFunctionWrite(operation) && /\/eviction(\?|$)/.test(operation.request.path),
    waysAt: () => Object.keys(EVICTIONS_REFUSED),
    strike(operation, _world, _chance, way) {
      const answer = EVICTIONS_REFUSED[way];
      if (operation.kind === "request" && answer !== undefined) operation.answer(answer);
    },
  },
];

const EVICTIONS_REFUSED: { readonly [way: string]: ReturnType<typeof refusal> } = {
  budget: refusal(429, "TooManyRequests", [
    { reason: "DisruptionBudget", message: "The disruption budget b needs 1 healthy pods", field: "" },
  ]),
  namespace: refusal(403, "Forbidden", [
    { reason: "NamespaceTerminating", message: "namespace is being terminated", field: "" },
  ]),
  twoBudgets: refusal(500, "InternalError"),
};

function onWrite(
  number: string,
  title: string,
  rate: number,
  strike: (request: RequestOperation, world: World, chance: Seeded) => void,
): Fault {
  return {
    number,
    title,
    rate,
    isSite: isFunctionWrite,
    strike(operation: AnyOperation, world, chance) {
      if (operation.kind === "request") strike(operation, world, chance);
    },
  };
}
