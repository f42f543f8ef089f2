import { otherVersion } from "../play/version.ts";
import { type Fault, isFunctionWrite } from "./fault.ts";

const SECOND = 1_000;
/** A lease lasts 30 s. */
const LEASE_MS = 30 * SECOND;
/** Clocks differ by up to so much. */
const MAX_SKEW_MS = 30 * SECOND;

/** processes that stop, double, differ or are wrong about the time. */
export const processes: readonly Fault[] = [
  {
    number: "X-05",
    title: "a worker stands still for longer than its lease, then continues as if nothing had happened",
    rate: 1 / 300,
    isSite: isFunctionWrite,
    strike(operation, _world, chance) {
      if (operation.kind !== "request") return;
      const ms = LEASE_MS + 1 + chance.below(2 * LEASE_MS);
      operation.process.freeze(ms);
      operation.delay(ms);
    },
  },
  {
    number: "X-07",
    title: "two relays at once",
    rate: 1 / 4_000,
    isSite: isFunctionWrite,
    strike(operation, world, chance) {
      operation.run();
      world.double("relay", 5 * SECOND + chance.below(115 * SECOND));
    },
  },
  {
    number: "X-08",
    title: "a worker of another build serves the same queue: with fewer functions, other words",
    rate: 1 / 500,
    most: 5,
    isSite: isFunctionWrite,
    strike(operation, world, chance) {
      operation.run();
      const known = new Set(world.functions.filter(() => chance.below(2) === 0).map(({ spec }) => spec.name));
      const other = otherVersion(({ spec }) => known.has(spec.name));
      const role = chance.pick(["worker-1", "worker-2"] as const);
      world.replace(role, other, 5 * SECOND + chance.below(115 * SECOND));
    },
  },
  {
    number: "X-09",
    title: "a worker that must stop is killed in the middle of a run",
    rate: 1 / 1_000,
    isSite: isFunctionWrite,
    strike(operation, world, chance) {
      const role = world.roleOf(operation.process);
      if (operation.kind !== "request" || role === undefined) return;
      const graceMs = SECOND + chance.below(20 * SECOND);
      operation.delay(graceMs + 1);
      world.stop(role, graceMs);
    },
  },
  {
    number: "X-43",
    title: "the clock of a process steps, and is wrong for a while",
    rate: 1 / 200,
    isSite: isFunctionWrite,
    strike(operation, world, chance) {
      operation.run();
      const process = world.processOf(chance.pick(world.roles));
      process?.setClock(chance.below(2 * MAX_SKEW_MS + 1) - MAX_SKEW_MS);
      world.troubles.lasting(SECOND + chance.below(600 * SECOND), () => process?.setClock(0));
    },
  },
  {
    number: "X-47",
    title:
      "the relay that leads stands still for longer than its lease, then continues as if nothing had happened",
    rate: 1 / 300,
    most: 5,
    isSite: (operation) =>
      operation.kind === "request" && operation.isWrite && operation.request.path.includes("/leases/"),
    strike(operation, _world, chance) {
      if (operation.kind !== "request") return;
      const ms = 15 * SECOND + chance.below(60 * SECOND);
      operation.process.freeze(ms);
      operation.delay(ms);
    },
  },
];
