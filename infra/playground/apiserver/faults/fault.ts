import * as z from "zod";

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
export type FaultMatch = z.infer<typeof matchSchema>;
export type Effect = z.infer<typeof effectSchema>;
export type StreamEffect = Extract<Effect, { kind: "stream" }>;
