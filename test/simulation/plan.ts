import type { AnyOperation, Fault } from "./faults/fault.ts";
import { FAULTS } from "./faults/known.ts";
import { type Seeded, seeded } from "./seeded.ts";
import type { World } from "./world.ts";

/** One fault: the class, and the site where it strikes, with the number of its occurrence in the run from 0. */
export interface PlannedFault {
  readonly fault: string;
  /** `machinepool-status PATCH /apis/…/machinepools/p1/status #2`. */
  readonly at: string;
}

/** Where faults strike: at named sites, or at random with the given probability per site. */
export type Plan =
  | { readonly type: "named"; readonly faults: readonly PlannedFault[] }
  | { readonly type: "random"; readonly rates: { readonly [fault: string]: number } };

export const NO_FAULTS: Plan = { type: "named", faults: [] };

/** The faults of one run, as far as they have struck. */
export interface Injection {
  readonly struck: readonly PlannedFault[];
  /** Every site so far, in the order of the run. */
  readonly sites: readonly PlannedFault[];
  /** No more faults from now on. */
  heal(): void;
}

/** Lets a plan strike. At one operation at most one fault strikes. */
export function inject(world: World, plan: Plan, seed: number): Injection {
  const struck: PlannedFault[] = [];
  const sites: PlannedFault[] = [];
  const occurrences = new Map<string, number>();
  const random = seeded(seed, "faults");
  const named = new Set(plan.type === "named" ? plan.faults.map(({ fault, at }) => `${fault} ${at}`) : []);
  let isHealed = false;

  const isStruck = ({ number }: Fault, at: string): boolean => {
    if (plan.type === "named") return named.has(`${number} ${at}`);
    const rate = plan.rates[number];
    return rate !== undefined && random.number() < rate;
  };
  /** Which site of the class this is, the same in every run in which it happens. */
  const siteOf = ({ number }: Fault, operation: AnyOperation): PlannedFault => {
    const site = (operation.site ?? operation.what)();
    const occurrence = occurrences.get(`${number} ${site}`) ?? 0;
    occurrences.set(`${number} ${site}`, occurrence + 1);
    return { fault: number, at: `${site} #${occurrence}` };
  };
  world.kernel.intercept((given) => {
    if (isHealed) return false;
    const operation = given as AnyOperation;
    const here = FAULTS.filter((fault) => fault.isSite(operation, world)).map((fault) => {
      return { fault, planned: siteOf(fault, operation) };
    });
    for (const { planned } of here) sites.push(planned);
    const striking = here.find(({ fault, planned }) => isStruck(fault, planned.at));
    if (striking === undefined) return false;
    const { fault, planned } = striking;
    struck.push(planned);
    world.kernel.trace.add(`${planned.fault} strikes at ${planned.at}`);
    // Its own chance, so that the same fault does the same when others are left out.
    fault.strike(operation, world, seeded(seed, `${planned.fault} ${planned.at}`));
    return true;
  });
  return {
    struck,
    sites,
    heal() {
      isHealed = true;
      world.kernel.trace.add("healed");
    },
  };
}

/** A random subset of all classes, with rates around their defaults (6.4). */
export function randomPlan(seed: number): Plan {
  const random: Seeded = seeded(seed, "plan");
  const rates: { [fault: string]: number } = {};
  for (const { number, rate } of FAULTS) {
    if (random.below(3) === 0) rates[number] = rate * (0.25 + 4 * random.number());
  }
  return { type: "random", rates };
}
