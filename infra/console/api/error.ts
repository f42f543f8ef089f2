import * as z from "zod";
import { type Shape, timeSchema } from "./page.ts";

/** The body of every answer that is not a success. */
export const errorSchema = z.object({
  /** HTTP status. */
  status: z.int(),
  /** CamelCase, stable: `InvalidField`, `Unauthorized`, `Forbidden`, `NotFound`, `Changed`, `Unavailable`, … */
  reason: z.string(),
  /** Condition and cause. */
  message: z.string(),
  /** The next step of the person. */
  next: z.string(),
  /** Parameter, or member of the body. */
  field: z.string().optional(),
  /** The way to sign in, of 401: what this console takes, the link of its terminal or a token of the API server. */
  signIn: z.enum(["link", "token"]).optional(),
  /** The time since when it lasts, of 503. */
  since: timeSchema.optional(),
  /** The object, of 412: the resource as it is now. */
  current: z.unknown().optional(),
});
export type ErrorBody = Shape<typeof errorSchema>;
