import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ports that kernels give to outgoing connections (32768 and up on Linux). */
const FIRST = 10_000;
const LAST = 32_000;
/** Processes that choose at the same time choose from different parts. */
const PART = 200;

const parts = Math.floor((LAST - FIRST) / PART);
const first = FIRST + (process.pid % parts) * PART;
let chosen = 0;

/**
 * Ports of loopback, all different, without a listener. A server started later finds its port still free, and again
 * after it was killed: no connection of this machine takes it meanwhile. Throws when all are in use.
 */
export async function freePorts(count: number): Promise<readonly number[]> {
  const ports: number[] = [];
  for (let tries = 0; ports.length < count; tries += 1) {
    if (tries > PART) throw new Error(`no free port from ${first} to ${first + PART - 1}`);
    const port = first + (chosen++ % PART);
    if (await isFree(port)) ports.push(port);
  }
  return ports;
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port, "127.0.0.1");
  try {
    await once(probe, "listening");
  } catch {
    return false;
  }
  probe.close();
  await once(probe, "close");
  return true;
}
