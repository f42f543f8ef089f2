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
    number: "X-06",
    title: "relay crash and restart",
    rate: 1 / 2_000,
    isSite: isFunctionWrite,
    strike(operation, world, chance) {
      operation.run();
      world.crash("relay", 1_000 + chance.below(4_000));
    },
  },
];
