import { isRequest, type RequestOperation } from "../request-operation.ts";
import { type Fault, isFunctionWrite, isOurs } from "./fault.ts";
import { refusal } from "./refusal.ts";

const SECOND = 1_000;

/** what an API server does not let a function do, until somebody has repaired it. */
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
    title: "admission rejects a write",
    rate: 1 / 500,
    isSite: isFunctionWrite,
    strike(operation) {
      if (isRequest(operation)) operation.answer(REJECTED);
    },
  },
];

const REJECTED = refusal(422, "Invalid", [
  { reason: "FieldValueInvalid", message: "rejected by policy", field: "spec" },
]);

function isWriteOf({ request, isWrite }: RequestOperation, userAgent: string): boolean {
  return isWrite && request.headers["user-agent"] === userAgent;
}
