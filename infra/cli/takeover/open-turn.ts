import { hostname } from "node:os";
import { systemClock } from "../../clock.ts";
import type { ServerClient } from "../../kube/verbs.ts";
import { type Turn, takeTurn } from "../../takeover/turn.ts";
import { callerName } from "../caller-name.ts";

/** The turn of the person who calls this command. */
export function openTurn(client: ServerClient, namespace: string): Promise<Turn> {
  const identity = `${callerName()}@${hostname()}:${process.pid}`;
  return takeTurn(client, { namespace, identity, clock: systemClock });
}
