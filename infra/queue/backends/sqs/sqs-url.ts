import * as z from "zod";
import type { SqsQueueOptions } from "./sqs.ts";

/** The form of a URL, `sqs://eu-west-1?redis=redis://host:6379`; parameters with `&` or `#` are percent-encoded. */
const SQS_URL_FORM = "sqs://REGION?redis=redis://HOST:PORT";

const parametersSchema = z.strictObject({
  redis: z.string().regex(/^rediss?:\/\//, "must be a redis:// or rediss:// URL"),
  endpoint: z.url({ protocol: /^https?$/, error: "must be an http:// or https:// URL" }).optional(),
  prefix: z.string().optional(),
  createQueues: z
    .enum(["true", "false"])
    .transform((text) => text === "true")
    .optional(),
});

type SqsUrl = Pick<SqsQueueOptions, "url" | "region" | "endpoint" | "prefix" | "createQueues">;

/**
 * Returns the queue that an `sqs://` URL names. Throws with the name of the wrong parameter, never with its value:
 * the Redis URL may contain a password.
 */
export function parseSqsUrl(text: string): SqsUrl {
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  const region = parsed?.hostname ?? "";
  if (parsed?.protocol !== "sqs:" || !/^[a-z0-9-]+$/.test(region)) {
    throw new Error(`not an SQS queue; expected ${SQS_URL_FORM}`);
  }
  const given = [...parsed.searchParams];
  const result = parametersSchema.safeParse(Object.fromEntries(given));
  const twice = given.find(([name], index) => given.findIndex(([other]) => other === name) !== index);
  if (result.success && twice === undefined) {
    const { redis: url, ...rest } = result.data;
    return { url, region, ...rest };
  }
  const [issue] = result.error?.issues ?? [];
  const names = issue?.code === "unrecognized_keys" ? issue.keys.join(", ") : issue?.path.join(".");
  const why = twice === undefined ? issueText(issue) : "is given twice";
  throw new Error(`parameter ${twice?.[0] ?? names} ${why}; expected ${SQS_URL_FORM}`);
}

function issueText(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === "unrecognized_keys") return "is unknown";
  return issue?.code === "invalid_type" ? "is missing" : (issue?.message ?? "is wrong");
}
