import type { World } from "../play/world.ts";
import type { RequestOperation } from "../ports/request-operation.ts";
import { crash, type Fault, isFunctionWrite, isWorker } from "./fault.ts";

/** a process ends and another one takes its place. */
export const crashes: readonly Fault[] = [
  {
    number: "X-01",
    title: "crash before a write",
    rate: 1 / 200,
    isSite: isFunctionWrite,
    strike: ({ process }, world, chance) => crash(process, world, chance),
  },
  {
    number: "X-02",
    title: "crash after a write",
    rate: 1 / 200,
    isSite: isFunctionWrite,
    strike(operation, world, chance) {
      if (operation.kind === "request") operation.runThen(() => crash(operation.process, world, chance));
    },
  },
  {
    number: "X-03",
    title: "crash before acknowledge",
    rate: 1 / 200,
    isSite: (operation) =>
      operation.kind === "ledger" && operation.call.startsWith("finish") && isWorker(operation.process),
    strike: ({ process }, world, chance) => crash(process, world, chance),
  },
  {
    number: "X-04",
    title: "crash between the writes of one run: some are done, the rest are not",
    rate: 1 / 200,
    isSite: (operation, world) => isFunctionWrite(operation) && hasWritten(operation, world),
    strike: ({ process }, world, chance) => crash(process, world, chance),
  },
  {
    number: "X-06",
    title: "relay crash and restart",
    rate: 1 / 2_000,
    isSite: isFunctionWrite,
    strike(operation, world, chance) {
      operation.run();
      world.crash(world.leadingRelay, 1_000 + chance.below(4_000));
    },
  },
];

/** Runs of which a write is done, by world. */
const WRITTEN = new WeakMap<World, Set<string>>();

/** Whether another write of the same run has been answered. */
function hasWritten({ request }: RequestOperation, world: World): boolean {
  return runsThatWrote(world).has(String(request.headers["audit-id"]));
}

function runsThatWrote(world: World): ReadonlySet<string> {
  const known = WRITTEN.get(world);
  if (known !== undefined) return known;
  const runs = new Set<string>();
  WRITTEN.set(world, runs);
  world.network.witness(({ request, code }) => {
    if (request.method !== "GET" && code < 300) runs.add(String(request.headers["audit-id"]));
  });
  return runs;
}
