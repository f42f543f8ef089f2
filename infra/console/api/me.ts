import * as z from "zod";
import { answerShape, type Shape, timeSchema } from "./page.ts";

const reachSchema = z.union([z.literal("all"), z.array(z.string())]);

/** The viewer, and the parts of this server that the viewer can use. */
export const meSchema = z.object({
  ...answerShape,
  user: z.string(),
  by: z.enum(["code", "token"]),
  /** When the session ends at the latest; absent with a token of its own in each request. */
  until: timeSchema.optional(),
  /** Namespaces whose Clusters the viewer sees. */
  sees: reachSchema,
  /** The rights by namespace; `pause` concerns whole functions. Nothing but `try` without --actions. */
  may: z.object({ requeue: reachSchema, drop: reachSchema, pause: z.boolean(), try: reachSchema }),
  /** The URL for plots of more than an hour. */
  dashboardsUrl: z.string().optional(),
  version: z.string(),
  /** `GET /queue`: those that this server has. */
  routes: z.array(z.string()),
  functions: z.array(z.object({ name: z.string(), summary: z.string(), kind: z.string() })),
});
export type Me = Shape<typeof meSchema>;

/** The code of the link, or no member and a bearer token in the header Authorization. */
export const sessionRequestSchema = z.strictObject({ code: z.string().max(64).optional() });

/** `session` goes into the header Capstan-Session of each request. */
export const sessionSchema = z.object({ ...answerShape, session: z.string(), until: timeSchema });
export type SessionAnswer = Shape<typeof sessionSchema>;
