import type { World } from "../play/world.ts";
import type { LineOperation } from "../ports/line-queue.ts";
import { isRequest } from "../ports/request-operation.ts";
import { type Fault, isNotification } from "./fault.ts";
import { refusal } from "./refusal.ts";

const SECOND = 1_000;

/** watches that say nothing, too little, or nonsense. */
export const watches: readonly Fault[] = [
  {
    number: "X-15",
    title: "a watch hangs: the connection is open, and nothing comes any more",
    rate: 1 / 500,
    isSite: isNotification,
    strike(operation) {
      if (isNotification(operation)) operation.hang();
    },
  },
  {
    number: "X-16",
    title: "a watch breaks, its history goes, and no client is let in while objects come and go",
    rate: 1 / 500,
    isSite: isNotification,
    strike(operation, world, chance) {
      if (!isNotification(operation)) return;
      operation.breakOff();
      keepOut(operation, world, SECOND + chance.below(60 * SECOND));
    },
  },
  {
    number: "X-17",
    title: "a line of a watch is not an event",
    rate: 1 / 1_000,
    isSite: isNotification,
    strike(operation, _world, chance) {
      if (isNotification(operation)) operation.replace(chance.pick(NONSENSE));
    },
  },
];

/** The first has no end: what comes next is behind it. */
const NONSENSE = [
  '{"type":"MODIFIED","object":{"apiVersion":"v1","ki',
  "<html>502 Bad Gateway</html>\n",
  '{"type":"SURPRISE","object":{"kind":"Surprise"}}\n',
  `{"type":"ERROR","object":${refusal(500, "InternalError").text}}\n`,
] as const;

/** For so long neither watch nor list of the same kind is answered; then the history is gone. */
function keepOut({ server, site, what }: LineOperation, { management, troubles }: World, ms: number): void {
  const [, , path = ""] = (site ?? what)().split(" ");
  troubles.hit(ms, (operation) => {
    if (!isRequest(operation) || operation.server !== server) return false;
    const { process, request } = operation;
    if (!process.name.startsWith("relay") || !request.path.includes(path)) return false;
    operation.answer(
      request.path.includes("watch=") ? refusal(410, "Expired") : refusal(500, "InternalError"),
    );
    return true;
  });
  troubles.lasting(ms, () => {
    if (server === management.address) management.server.compact();
  });
}
