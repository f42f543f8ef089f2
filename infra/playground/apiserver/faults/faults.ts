import { qualifiedPlural, type Registry, type ResourceType } from "../kinds/registry.ts";
import type { Target } from "../request/request.ts";
import type { Effect, Fault, FaultMatch } from "./fault.ts";

/** A fault that is switched on. */
export interface ActiveFault {
  readonly id: number;
  readonly fault: Fault;
  /** Requests that it concerned, hit or not. */
  readonly matched: number;
  readonly hits: number;
}

/** Parts of a request that faults read. */
export interface FaultRequest {
  readonly verb: string;
  readonly path: string;
  readonly userAgent: string;
  readonly target: Target | undefined;
}

/** The faults of one virtual server; they outlive its restarts. */
export class Faults {
  readonly #active = new Map<number, { readonly fault: Fault; matched: number; hits: number }>();
  readonly #onAdd: (fault: Fault) => void;
  #lastId = 0;

  /** `onAdd` is called with every fault that is switched on. */
  constructor(onAdd: (fault: Fault) => void) {
    this.#onAdd = onAdd;
  }

  /** Returns the faults in the order in which they were switched on. */
  get list(): readonly ActiveFault[] {
    return [...this.#active].map(([id, active]) => ({ id, ...active }));
  }

  /** Switches a fault on; returns its number. */
  add(fault: Fault): number {
    this.#lastId++;
    this.#active.set(this.#lastId, { fault, matched: 0, hits: 0 });
    this.#onAdd(fault);
    return this.#lastId;
  }

  /** Returns false when there is no such fault, or none any more. */
  remove(id: number): boolean {
    return this.#active.delete(id);
  }

  clear(): void {
    this.#active.clear();
  }

  /** The effects that hit a request, in the order in which their faults were switched on; counts them. */
  take(request: FaultRequest): readonly Effect[] {
    const effects: Effect[] = [];
    for (const [id, active] of this.#active) {
      const { on = {}, skip = 0, every = 1, times, effect } = active.fault;
      if (effect.kind === "notServed" || !concerns(on, request, effect)) continue;
      active.matched++;
      if (active.matched <= skip || (active.matched - skip) % every !== 0) continue;
      active.hits++;
      if (active.hits === times) this.#active.delete(id);
      effects.push(effect);
    }
    return effects;
  }

  /** The kinds without those that are not served at present. */
  visible(registry: Registry): Registry {
    const hidden = [...this.#active.values()].filter(({ fault }) => fault.effect.kind === "notServed");
    if (hidden.length === 0) return registry;
    return registry.without((type) => hidden.some(({ fault }) => hides(fault, type)));
  }
}

/** Whether a fault takes a type out of service. */
export function hides({ on, effect }: Fault, type: ResourceType): boolean {
  return effect.kind === "notServed" && on?.resource === qualifiedPlural(type);
}

function concerns(on: FaultMatch, { verb, path, userAgent, target }: FaultRequest, effect: Effect): boolean {
  if ((effect.kind === "stream") !== (verb === "watch") && effect.kind === "stream") return false;
  if (on.verbs !== undefined && !on.verbs.includes(verb)) return false;
  if (on.userAgent !== undefined && !userAgent.includes(on.userAgent)) return false;
  if (on.path !== undefined && !path.startsWith(on.path)) return false;
  return target === undefined ? namesNoResource(on) : concernsTarget(on, target);
}

/** Requests without a resource are concerned only when their path is named. */
function namesNoResource({ path, resource, subresource, namespace, name }: FaultMatch): boolean {
  return (
    path !== undefined && [resource, subresource, namespace, name].every((member) => member === undefined)
  );
}

function concernsTarget(on: FaultMatch, target: Target): boolean {
  return (
    (on.resource === undefined || on.resource === qualifiedPlural(target.type)) &&
    (on.subresource === undefined || on.subresource === (target.subresource ?? "")) &&
    (on.namespace === undefined || on.namespace === target.namespace) &&
    (on.name === undefined || on.name === target.name)
  );
}
