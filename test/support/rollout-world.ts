import type { Change } from "../../shared/rules/rollout/plan-types.ts";
import type { LoggedSet, LoggedStep, RolloutLog } from "./rollouts.ts";

interface WorldSet extends Omit<LoggedSet, "replicas" | "status" | "machines"> {
  replicas: number;
  status: LoggedSet["status"];
  machines: readonly string[];
}

/** The sets of a logged rollout, which follow their sizes when it is their turn, as the README of the data says. */
export class LoggedWorld {
  readonly #log: RolloutLog;
  readonly #sets: WorldSet[];
  #last: number;

  constructor(log: RolloutLog) {
    this.#log = log;
    this.#sets = log.start.map((set) => ({ ...set }));
    this.#last = Math.max(...log.start.flatMap(({ machines }) => machines.map(numberOf)));
  }

  sets(): readonly LoggedSet[] {
    return this.#sets.map(({ machines, ...set }) => ({ ...set, machines: machines.toSorted(byNumber) }));
  }

  /** Takes a turn: that of the deployment by `changesFor`, all others by the rules of the logs. */
  take(step: LoggedStep, changesFor: (sets: readonly LoggedSet[]) => readonly Change[]): void {
    if (step.by === "deployment") for (const change of changesFor(this.sets())) this.#apply(change);
    if (step.by === "set") this.#follow(step.set);
    if (step.by === "machine")
      for (const set of this.#sets) set.machines = set.machines.filter((name) => name !== step.machine);
  }

  #apply(change: Change): void {
    if (change.do === "create") {
      const set = `ms${this.#sets.length + 1}`;
      const status = { replicas: 0, available: 0, upToDate: 0 };
      const { template } = this.#log.deployment;
      this.#sets.push({ set, template, replicas: change.replicas, status, machines: [] });
    }
    const resized = change.do === "resize" && this.#sets.find(({ set }) => set === change.set);
    if (resized) resized.replicas = change.to;
  }

  #follow(name: string): void {
    const set = this.#sets.find((each) => each.set === name);
    if (set === undefined) return;
    const isCurrent = set.template === this.#log.deployment.template;
    const surplus = Math.max(set.machines.length - set.replicas, 0);
    const isFrozen = this.#log.strategy === "OnDelete" && !isCurrent;
    const missing = isFrozen ? 0 : Math.max(set.replicas - set.machines.length, 0);
    const made = Array.from({ length: missing }, (_, at) => `m${this.#last + at + 1}`);
    this.#last += missing;
    set.machines = [...set.machines.toSorted(byNumber).slice(surplus), ...made];
    const count = set.machines.length;
    set.status = { replicas: count, available: count, upToDate: isCurrent ? count : 0 };
  }
}

function byNumber(a: string, b: string): number {
  return numberOf(a) - numberOf(b);
}

function numberOf(machine: string): number {
  return Number(machine.slice(1));
}
