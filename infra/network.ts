import { openPort } from "./apiserver/http/port.ts";
import type { Listen } from "./apiserver/server.ts";
import { type Connect, createTransport } from "./kube/transport.ts";

/** How servers are reached, and how one is there to be reached. Simulation replaces it. */
export interface Network {
  readonly connect: Connect;
  readonly listen: Listen;
}

export const systemNetwork: Network = Object.freeze({ connect: createTransport, listen: openPort });
