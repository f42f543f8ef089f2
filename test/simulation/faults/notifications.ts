import { type Fault, isNotification } from "./fault.ts";

/** 30 s, as X-13 says; a watch is replaced when it has been silent for three times as long. */
const MAX_LAG_MS = 90_000;

/** changes that a watch of the relay delivers twice, late or never. */
export const notifications: readonly Fault[] = [
  {
    number: "X-11",
    title: "a change is never seen: the watch breaks, its history is gone, the next list shows what followed",
    rate: 1 / 50,
    isSite: isNotification,
    strike(operation, world) {
      if (operation.kind !== "line") return;
      if (operation.server === world.management.address) world.management.server.compact();
      operation.breakOff();
    },
  },
  {
    number: "X-13",
    title: "kinds lag behind each other",
    rate: 1 / 20,
    isSite: isNotification,
    strike(operation, { kernel }, chance) {
      if (operation.kind !== "line" || !("sentAt" in operation)) return;
      // Not beyond the lag that the system model allows, however many lines are late in a row.
      const mostMs = operation.sentAt + MAX_LAG_MS - kernel.now;
      operation.delay(Math.min(1 + chance.below(MAX_LAG_MS), Math.max(0, mostMs)));
    },
  },
  {
    number: "X-14",
    title: "the same change is delivered twice",
    rate: 1 / 50,
    isSite: isNotification,
    strike(operation) {
      if (operation.kind === "line") operation.duplicate();
    },
  },
];
