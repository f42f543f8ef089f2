import { readEnvironment } from "../config.ts";
import { startProbes } from "../worker/probes.ts";
import { type ComposeOptions, compose, type Role, type Running } from "./compose.ts";
import { openLog } from "./terminal/log.ts";

type PartOptions = Omit<ComposeOptions, "roles" | "installCrds" | "port" | "writeKubeconfig"> &
  Partial<Pick<ComposeOptions, "installCrds">>;

/**
 * Starts a relay or a worker in a process of its own, as `compose` does. Its kubelet has answers from the first moment,
 * while the part waits for its servers, to the last, when its runs have finished. Source: D-203
 */
export async function composePart(role: Role, options: PartOptions): Promise<Running> {
  await using starting = new AsyncDisposableStack();
  let running: Running | undefined;
  const { healthAddress: address, logLevel } = options;
  if (address !== undefined) {
    const log = openLog(logLevel ?? readEnvironment().CAPSTAN_LOG_LEVEL);
    const isReady = () => running?.isReady() ?? false;
    starting.use(await startProbes({ address, isReady, log }));
  }
  const rest = { roles: new Set([role]), port: 0, writeKubeconfig: "" };
  running = starting.use(await compose({ installCrds: false, ...options, ...rest }));
  const all = starting.move();
  return { ...running, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
