import { hostname } from "node:os";
import { type Turn, takeTurn } from "../../operate/takeover/turn.ts";
import { systemClock } from "../../platform/clock.ts";
import type { ServerClient } from "../../platform/kube/verbs.ts";
import { callerName } from "../caller-name.ts";

/** The turn of the person who calls this command. */
export function openTurn(client: ServerClient, namespace: string): Promise<Turn> {
  const identity = `${callerName()}@${hostname()}:${process.pid}`;
  return takeTurn(client, { namespace, identity, clock: systemClock });
}
