import type { Clock, Random } from "../../../shared/runtime/ports.ts";
import { systemClock } from "../../platform/clock.ts";
import { systemRandom } from "../../platform/random.ts";
import { CrdLifecycle } from "./controllers/crd-lifecycle.ts";
import { retainEvents, terminatePods } from "./controllers/expiry.ts";
import { GarbageCollector } from "./controllers/garbage-collector.ts";
import { createInitialNamespaces, NamespaceController } from "./controllers/namespaces.ts";
import type { Converters } from "./kinds/conversion.ts";
import { CORE_KINDS } from "./kinds/core-kinds.ts";
import { Registry } from "./kinds/registry.ts";
import type { Users, VirtualServer } from "./request/request.ts";
import type { Storage } from "./storage/storage.ts";

export interface VirtualServerOptions {
  readonly name: string;
  readonly users: Users;
  readonly converters: Converters;
  readonly bookmarkIntervalMs: number;
  readonly controllers: boolean;
  readonly podGraceScale: number;
  /** The clock and random numbers; default: those of this process. */
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
}

/** A virtual server at work, from its start to the next restart. */
export interface VirtualServerRun {
  readonly server: VirtualServer;
  stop(): void;
}

/** Serves what a storage holds, with the controllers that a Kubernetes server has inside. */
export function runVirtualServer(storage: Storage, options: VirtualServerOptions): VirtualServerRun {
  const { name, users, converters, bookmarkIntervalMs, podGraceScale } = options;
  const { clock = systemClock, random = systemRandom } = options;
  const stopping = new AbortController();
  const server: VirtualServer = {
    name,
    storage,
    users,
    converters,
    registry: new Registry(CORE_KINDS),
    bookmarkIntervalMs,
    clock,
    random,
    stopped: stopping.signal,
  };
  const controllers = [
    new CrdLifecycle(server),
    retainEvents(server),
    terminatePods(server, podGraceScale),
    ...(options.controllers ? [new NamespaceController(server), new GarbageCollector(server)] : []),
  ];
  storage.announce();
  createInitialNamespaces(server);
  return {
    server,
    stop: () => {
      stopping.abort();
      for (const controller of controllers) controller.stop();
    },
  };
}
