import { type AnyOperation, type Fault, isFunctionWrite } from "./fault.ts";

/** tokens and ledger. X-33 is always on: the scheduler picks in any order. */
export const queue: readonly Fault[] = [
  {
    number: "X-30",
    title: "a token is delivered twice",
    rate: 1 / 100,
    isSite: isDelivery,
    strike(operation, { troubles }, chance) {
      operation.run();
      if (chance.below(2) === 0) operation.run();
      else troubles.lasting(chance.below(60_000), () => operation.run());
    },
  },
  {
    number: "X-31",
    title: "leases are lost while their runs continue",
    rate: 1 / 200,
    isSite: isFunctionWrite,
    strike(operation, world) {
      world.ledger.expireLeases();
      operation.run();
    },
  },
  {
    number: "X-32",
    title: "a token is late",
    rate: 1 / 50,
    isSite: isDelivery,
    strike(operation, { troubles }, chance) {
      troubles.lasting(1 + chance.below(300_000), () => operation.run());
    },
  },
  {
    number: "X-35",
    title: "the queue is wiped",
    rate: 1 / 2_000,
    isSite: isFunctionWrite,
    strike(operation, world) {
      operation.run();
      world.ledger.wipe();
      world.tokens.wipe();
    },
  },
];

function isDelivery({ kind }: AnyOperation): boolean {
  return kind === "token";
}
