import * as z from "zod";
import { CONDITION_TYPE, type Immutable, mapList, text, time } from "./meta.ts";

export const conditionStatusSchema = z.enum(["True", "False", "Unknown"]);

/** `metav1.Condition`. `observedGeneration` is the generation the condition was computed from. */
export const conditionSchema = z.object({
  type: z.string().max(316).regex(new RegExp(CONDITION_TYPE)),
  status: conditionStatusSchema,
  observedGeneration: z.int().min(0).optional(),
  lastTransitionTime: time,
  reason: text(1, 1024, "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"),
  message: z.string().max(32_768),
});
export type Condition = Immutable<z.infer<typeof conditionSchema>>;
export type ConditionStatus = Condition["status"];

/** At most 32, one per type. */
export const conditionsSchema = mapList(conditionSchema, ["type"], { max: 32 });

/**
 * Condition of the API version v1beta1, kept under `status.deprecated.v1beta1.conditions`. `severity` (`Error`,
 * `Warning`, `Info`) only where the status is False. An absent reason or message is left out, never empty.
 */
const deprecatedConditionSchema = z.object({
  type: text(1, 256),
  status: z.string(),
  severity: z.string().max(32).optional(),
  lastTransitionTime: time,
  reason: text(1, 256).optional(),
  message: text(1, 10_240).optional(),
});
export type DeprecatedCondition = Immutable<z.infer<typeof deprecatedConditionSchema>>;

/** The fields of `status.deprecated.v1beta1` that every kind has. The list has no merge key: one writer. */
export const deprecatedStatusFields = {
  conditions: z.array(deprecatedConditionSchema).optional(),
  failureReason: z.string().optional(),
  failureMessage: text(1, 10_240).optional(),
};
