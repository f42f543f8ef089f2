import { rest } from "../../../platform/rest.ts";
import { StatusError } from "../errors/status-error.ts";
import type { VirtualServer } from "../request/request.ts";

const FUTURE_WAIT_MS = 3_000;
const POLL_MS = 50;

/** The number in a `resourceVersion` parameter; undefined when it is not a number. */
export function parseVersion(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

export function invalidVersionText(text: string): string {
  return `resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": invalid syntax`;
}

/** Waits until the server has reached a version. Throws StatusError 504 after 3 s. */
export async function waitForVersion(server: VirtualServer, version: number): Promise<void> {
  const { clock } = server;
  const deadline = clock.now().getTime() + FUTURE_WAIT_MS;
  while (server.storage.version < version && clock.now().getTime() < deadline && !server.stopped.aborted) {
    await rest(POLL_MS, clock);
  }
  const current = server.storage.version;
  if (current >= version) return;
  const message = `Too large resource version: ${version}, current: ${current}`;
  const causes = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }];
  throw new StatusError(504, "Timeout", `Timeout: ${message}`, { causes, retryAfterSeconds: 1 });
}
