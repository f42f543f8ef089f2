import * as z from "zod";
import { qualifiedPlural, type Registry, type ResourceType } from "../kinds/registry.ts";
import type { Target } from "../request/request.ts";

const count = z.int().min(0);

/** Which requests a fault concerns; what is absent does not matter. */
const matchSchema = z.strictObject({
  /** get, list, watch, create, update, patch, delete, deletecollection. */
  verbs: z.array(z.string()).optional(),
  /** The resource with its group: `machinepools.cluster.x-k8s.io`, `secrets`. */
  resource: z.string().optional(),
  /** The subresource; empty: the object itself, none of its subresources. */
  subresource: z.string().optional(),
  namespace: z.string().optional(),
  name: z.string().optional(),
  /** A part of the User-Agent, such as the name of a function. */
  userAgent: z.string().optional(),
  /** Beginning of the path, for requests that name no resource: `/readyz`, `/apis`. */
  path: z.string().optional(),
});

const causeSchema = z.strictObject({ reason: z.string(), message: z.string(), field: z.string().optional() });

const effectSchema = z.discriminatedUnion("kind", [
  /** The answer comes later. */
  z.strictObject({ kind: z.literal("slow"), ms: count }),
  /** A failure instead of the request; for a watch, before it begins. */
  z.strictObject({
    kind: z.literal("status"),
    code: z.int().min(400).max(599),
    /** The reason; absent for the usual one of the code. */
    reason: z.string().optional(),
    message: z.string().optional(),
    retryAfterSeconds: count.optional(),
    causes: z.array(causeSchema).optional(),
  }),
  /** The connection breaks before the request is carried out, or after it and without an answer. */
  z.strictObject({ kind: z.literal("reset"), when: z.enum(["before", "after"]) }),
  /** The connection stays open and no answer comes, until the client gives up. */
  z.strictObject({ kind: z.literal("silence"), when: z.enum(["before", "after"]) }),
  /** Text that is not JSON instead of the answer. */
  z.strictObject({ kind: z.literal("garbage") }),
  /** A get or list shows the objects as they were so many versions ago. */
  z.strictObject({ kind: z.literal("stale"), versions: z.int().min(1) }),
  /**
   * Another client is faster: changes an annotation, deletes, or deletes and recreates the object with
   * another uid, just before the request is carried out.
   */
  z.strictObject({ kind: z.literal("race"), by: z.enum(["touch", "delete", "recreate"]) }),
  /** The resource is not served: neither in discovery nor on any path, watches end. Takes no `times`. */
  z.strictObject({ kind: z.literal("notServed") }),
  /** Something happens to a watch after so many events, bookmarks included. */
  z.strictObject({
    kind: z.literal("stream"),
    /**
     * stall: no more bytes. end: a clean end. reset: the connection breaks. expire: 410 in the stream. halfLine, garbage,
     * unknownType, error: a line that no client can use. drop: one event is never sent. duplicate: one is sent twice. late:
     * this event and all later ones come after `ms`.
     */
    as: z.enum([
      "stall",
      "end",
      "reset",
      "expire",
      "halfLine",
      "garbage",
      "unknownType",
      "error",
      "drop",
      "duplicate",
      "late",
    ]),
    afterEvents: count.optional(),
    /** The delay of `late`; default 1,000. */
    ms: count.optional(),
  }),
]);

/** One fault of a virtual server, as data. */
export const faultSchema = z.strictObject({
  /** The requests; absent for every request to a resource. */
  on: matchSchema.optional(),
  /** The matching requests that pass first; default 0. */
  skip: count.optional(),
  /** The step n: every n-th is hit then; default 1: each. */
  every: z.int().min(1).optional(),
  /** The hits after which the fault is over; default: until it is removed. */
  times: z.int().min(1).optional(),
  effect: effectSchema,
});

export type Fault = z.infer<typeof faultSchema>;
type FaultMatch = z.infer<typeof matchSchema>;
export type Effect = z.infer<typeof effectSchema>;
export type StreamEffect = Extract<Effect, { kind: "stream" }>;

/** A fault that is switched on. */
interface ActiveFault {
  readonly id: number;
  readonly fault: Fault;
  /** Requests that it concerned, hit or not. */
  readonly matched: number;
  readonly hits: number;
}

/** Parts of a request that faults read. */
interface FaultRequest {
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
