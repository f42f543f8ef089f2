import { type Connect, createTransport } from "../platform/kube/transport.ts";
import type { Listen } from "./apiserver/entry.ts";

/** Connects to servers and listens as one. The simulation replaces it. */
export interface Network {
  readonly connect: Connect;
  readonly listen: Listen;
}

/** Processes without an API server of their own do not load one. */
async function listen(...listened: Parameters<Listen>): ReturnType<Listen> {
  const { openPort } = await import("./apiserver/entry.ts");
  return openPort(...listened);
}

export const systemNetwork: Network = Object.freeze({ connect: createTransport, listen });
