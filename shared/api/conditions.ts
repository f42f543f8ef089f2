import * as z from "zod";
import { CONDITION_TYPE, type Immutable, mapList, text, time } from "./meta.ts";

export const conditionStatusSchema = () => z.enum(["True", "False", "Unknown"]);

/** `metav1.Condition`. `observedGeneration` is the generation the condition was computed from. */
const conditionSchema = () =>
  z.object({
    type: z
      .string()
      .max(316)
      .regex(new RegExp(CONDITION_TYPE))
      .describe("Type of the condition, such as Available. One condition per type."),
    status: conditionStatusSchema().describe("True, False or Unknown."),
    observedGeneration: z.int().min(0).optional().describe("Generation of the object that was judged."),
    lastTransitionTime: time.describe("When the status changed last."),
    reason: text(1, 1024, "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$").describe(
      "One word for programs: why the status is what it is.",
    ),
    message: z
      .string()
      .max(32_768)
      .describe("The same for people, with what is missing and where. May be empty."),
  });
export type Condition = Immutable<z.infer<ReturnType<typeof conditionSchema>>>;
export type ConditionStatus = Condition["status"];

/** Describes at most 32 conditions, one per type. */
export const conditionsSchema = () =>
  mapList(conditionSchema(), ["type"], { max: 32 }).describe(
    "Conditions of the object: one per type, at most 32.",
  );

/**
 * Describes a condition of the API version v1beta1, kept under `status.deprecated.v1beta1.conditions`. `severity`
 * (`Error`,
 * `Warning`, `Info`) only where the status is False. An absent reason or message is left out, never empty.
 */
const deprecatedConditionSchema = () =>
  z.object({
    type: text(1, 256).describe("Type of the condition, such as Ready."),
    status: z.string().describe("True, False or Unknown."),
    severity: z
      .string()
      .max(32)
      .optional()
      .describe("Error, Warning or Info; only where the status is False."),
    lastTransitionTime: time.describe("When the status changed last."),
    reason: text(1, 256).optional().describe("One word for programs: why the status is what it is."),
    message: text(1, 10_240).optional().describe("The same for people."),
  });
export type DeprecatedCondition = Immutable<z.infer<ReturnType<typeof deprecatedConditionSchema>>>;

/** The fields of `status.deprecated.v1beta1` that every kind has. The list has no merge key: one writer. */
export const deprecatedStatusFields = () => ({
  conditions: z
    .array(deprecatedConditionSchema())
    .optional()
    .describe("Conditions as API version v1beta1 has them. Read status.conditions instead."),
  failureReason: z.string().optional().describe("One word for a failure that the provider reports as final."),
  failureMessage: text(1, 10_240).optional().describe("The same for people."),
});

/** Describes `status.deprecated` with these fields under `v1beta1`. */
export function deprecatedSchema<S extends z.ZodRawShape>(fields: S) {
  return z
    .object({
      v1beta1: z.object(fields).optional().describe("Status fields of API version v1beta1."),
    })
    .optional()
    .describe("Fields of older API versions, for programs that still read them.");
}
