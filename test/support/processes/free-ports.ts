import { once } from "node:events";
import { createServer, type Server } from "node:net";

/** Below the ports that kernels give to outgoing connections (32768 and up on Linux). */
const FIRST = 10_000;
const LAST = 32_000;
/** Processes that choose at the same time choose from different parts: a listener at its first port holds one. */
const PART = 200;
const PARTS = Math.floor((LAST - FIRST) / PART);

let taking: Promise<number> | undefined;
let chosen = 0;

/**
 * Ports of loopback, all different, without a listener. A server started later finds its port still free, and again
 * after it was killed: no connection of this machine takes it meanwhile. Throws when all are in use.
 */
export async function freePorts(count: number): Promise<readonly number[]> {
  taking ??= takePart();
  const first = (await taking) + 1;
  const ports: number[] = [];
  for (let tries = 0; ports.length < count; tries += 1) {
    if (tries >= PART) throw new Error(`no free port from ${first} to ${first + PART - 2}`);
    const port = first + (chosen++ % (PART - 1));
    const probe = await listen(port);
    if (probe === undefined) continue;
    ports.push(port);
    probe.close();
    await once(probe, "close");
  }
  return ports;
}

/** The first port of a part that no other process has, for as long as this one lives. */
async function takePart(): Promise<number> {
  for (let tries = 0; tries < PARTS; tries += 1) {
    const first = FIRST + ((process.pid + tries) % PARTS) * PART;
    const holder = await listen(first);
    if (holder === undefined) continue;
    holder.unref();
    return first;
  }
  throw new Error(`no ${PART} ports from ${FIRST} to ${LAST} are free: ${PARTS} processes hold them`);
}

/** Undefined when the port is in use. */
async function listen(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
    return server;
  } catch {
    return undefined;
  }
}
