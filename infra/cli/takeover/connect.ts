import { systemClock } from "../../platform/clock.ts";
import { readEnvironment } from "../../platform/config.ts";
import type { Server } from "../../platform/kube/client.ts";
import { readManagement } from "../management.ts";
import { openLog } from "../terminal/log.ts";

export async function connectTo({ kubeconfig }: { readonly kubeconfig?: string }): Promise<Server> {
  const log = openLog(readEnvironment().CAPSTAN_LOG_LEVEL);
  const connect = await readManagement(kubeconfig, { clock: systemClock, log });
  return connect();
}
