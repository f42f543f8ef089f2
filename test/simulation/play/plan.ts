import type { AnyOperation, Fault } from "../faults/fault.ts";
import { FAULTS } from "../faults/known.ts";
import { seeded } from "../kernel/seeded.ts";
import type { World } from "./world.ts";

/** One fault: the class, and the site where it strikes, with the number of its occurrence in the run from 0. */
export interface PlannedFault {
  readonly fault: string;
  /** `machinepool-status PATCH /apis/…/machinepools/p1/status #2`. */
  readonly at: string;
}

/** Where faults strike: at named sites, at random with the given probability per site, or nowhere. */
export type Plan =
  | { readonly type: "named"; readonly faults: readonly PlannedFault[] }
  | { readonly type: "random"; readonly rates: { readonly [fault: string]: number } }
  | { readonly type: "listed" };

export const NO_FAULTS: Plan = { type: "named", faults: [] };
/** None either, and every site of every class is listed. */
export const LISTED_SITES: Plan = { type: "listed" };

/** The faults of one run, as far as they have struck. */
export interface Injection {
  readonly struck: readonly PlannedFault[];
  /** Those that make objects come and go were among them. */
  readonly hasDetours: boolean;
  /** Every site so far of the classes of the plan, in the order of the run. */
  readonly sites: readonly PlannedFault[];
  /** All that the plan names have struck, the last so long ago that what it does has shown. */
  readonly isSpent: boolean;
  /** No more faults from now on, and those that last end. */
  heal(): void;
}

/** Longer than most faults last. */
const SHOWN_MS = 10 * 60_000;

/** Lets a plan strike. At one operation at most one fault strikes. */
export function inject(world: World, plan: Plan, seed: number): Injection {
  const struck: PlannedFault[] = [];
  const sites: PlannedFault[] = [];
  const occurrences = new Map<string, number>();
  const random = seeded(seed, "faults");
  const named = new Set(plan.type === "named" ? plan.faults.map(({ fault, at }) => `${fault} ${at}`) : []);
  const classes = classesOf(plan);
  let isHealed = false;
  let lastAt = world.kernel.now;

  const counts = new Map<string, number>();
  const isStruck = ({ number, most = Number.POSITIVE_INFINITY }: Fault, at: string): boolean => {
    if (plan.type !== "random") return named.has(`${number} ${at}`);
    const rate = plan.rates[number];
    return rate !== undefined && random.number() < rate && (counts.get(number) ?? 0) < most;
  };
  /** Which site of the class this is, the same in every run in which it happens. */
  const siteOf = ({ number }: Fault, of: string, way: string): PlannedFault => {
    const site = `${of}${way === "" ? "" : ` ${way}`}`;
    const occurrence = occurrences.get(`${number} ${site}`) ?? 0;
    occurrences.set(`${number} ${site}`, occurrence + 1);
    return { fault: number, at: `${site} #${occurrence}` };
  };
  world.kernel.intercept((given) => {
    if (isHealed || classes.length === 0) return false;
    const operation = given as AnyOperation;
    const fitting = classes.filter((fault) => fault.isSite(operation, world));
    if (fitting.length === 0) return false;
    const site = (operation.site ?? operation.what)();
    const here = fitting.flatMap((fault) =>
      (fault.waysAt?.(operation, world) ?? [""]).map((way) => {
        return { fault, way, planned: siteOf(fault, site, way) };
      }),
    );
    for (const { planned } of here) sites.push(planned);
    const striking = here.find(({ fault, planned }) => isStruck(fault, planned.at));
    if (striking === undefined) return false;
    const { fault, way, planned } = striking;
    struck.push(planned);
    lastAt = world.kernel.now;
    counts.set(fault.number, (counts.get(fault.number) ?? 0) + 1);
    world.kernel.trace.remark(`${planned.fault} strikes at ${planned.at}`);
    // Its own chance, so that the same fault does the same when others are left out.
    fault.strike(operation, world, seeded(seed, `${planned.fault} ${planned.at}`), way);
    return true;
  });
  return {
    struck,
    sites,
    get isSpent() {
      const isAll = plan.type === "named" && struck.length >= plan.faults.length;
      return isAll && world.kernel.now - lastAt >= SHOWN_MS;
    },
    get hasDetours() {
      return FAULTS.some(({ number, isDetour }) => isDetour === true && counts.has(number));
    },
    heal() {
      isHealed = true;
      world.kernel.trace.add("healed");
      world.troubles.heal();
    },
  };
}

/** The classes that a plan can let strike, or whose sites it lists. */
function classesOf(plan: Plan): readonly Fault[] {
  if (plan.type === "listed") return FAULTS;
  const named = plan.type === "random" ? Object.keys(plan.rates) : plan.faults.map(({ fault }) => fault);
  return FAULTS.filter(({ number }) => named.includes(number));
}

/** A random subset of all classes, with rates around their defaults. */
export function randomPlan(seed: number, only?: readonly string[]): Plan {
  const rates: { [fault: string]: number } = {};
  for (const { number, rate, share = 1 / 3 } of FAULTS) {
    // Drawn for every class, so that one more class leaves the others as they are.
    const chance = seeded(seed, `plan ${number}`);
    if (only === undefined ? chance.number() < share : only.includes(number))
      rates[number] = rate * (0.25 + 4 * chance.number());
  }
  return { type: "random", rates };
}
