import { SECOND } from "../../../../shared/function/backoff.ts";
import type { Priority } from "../../../../shared/runtime/queue/queue-port.ts";
import type { SqsEndpoint } from "./sqs-endpoint.ts";
import { MissingQueueError } from "./sqs-endpoint.ts";

const CALL_LIMIT_MS = 5 * SECOND;
const MAX_NAME = 80;
/** Receives until a message goes to the transport DLQ: a safety net, expected empty. */
export const MAX_RECEIVES = 10;
const DAY_SECONDS = 86_400;
/** The retention: a moved message of a standard queue keeps its age, so the dead ones must be kept longer. */
export const RETENTION_SECONDS = { source: 4 * DAY_SECONDS, dead: 14 * DAY_SECONDS };

export interface SqsQueuesOptions {
  readonly endpoint: SqsEndpoint;
  readonly functionName: string;
  readonly prefix: string;
  readonly region: string;
  /** Whether to create missing queues, with a transport DLQ; otherwise a missing queue is an error. */
  readonly create: boolean;
  /** True on AWS itself: encryption and access are set, too, which emulators do not know (S-25). */
  readonly aws: boolean;
  readonly visibilitySeconds: number;
}

/** The two queues of a function: `<prefix><function>-live` and `-resync`. */
export interface SqsQueues {
  /** Returns the URL of a queue. Throws UnusableQueueError when the queue is missing and must not be created. */
  urlOf(priority: Priority): Promise<string>;
  /** Makes the next `urlOf` look for the queues again: one has been deleted. */
  forget(): void;
}

/** Retries do not help: a user has to create the queue. */
export class UnusableQueueError extends Error {
  override readonly name = "UnusableQueueError";
}

export type QueueKind = Priority | "dead";

export function sqsQueueName(prefix: string, functionName: string, kind: QueueKind): string {
  return `${prefix}${functionName}-${kind}`;
}

/** Returns the prefix. Throws when its queues would not have valid SQS names. */
export function checkSqsPrefix(prefix: string): string {
  const longest = sqsQueueName(prefix, "f".repeat(63), "resync").length;
  if (/^[A-Za-z0-9_-]*$/.test(prefix) && longest <= MAX_NAME) return prefix;
  throw new TypeError(
    `SQS prefix ${JSON.stringify(prefix.slice(0, 40))} is not valid; use [A-Za-z0-9_-]{0,10}`,
  );
}

export function createSqsQueues(options: SqsQueuesOptions): SqsQueues {
  const urls = new Map<Priority, Promise<string>>();
  return {
    urlOf: (priority) => {
      const url = urls.get(priority) ?? findOrCreate(options, priority);
      urls.set(priority, url);
      url.catch(() => urls.delete(priority));
      return url;
    },
    forget: () => urls.clear(),
  };
}

async function findOrCreate(options: SqsQueuesOptions, priority: Priority): Promise<string> {
  const found = await find(options, priority);
  if (found !== undefined) return found;
  if (!options.create) throw new UnusableQueueError(adviceOn(options, priority));
  const deadUrl = (await find(options, "dead")) ?? (await createDead(options));
  const deadArn = await arnOf(options, deadUrl);
  return create(options, priority, sourceAttributes(options, deadArn));
}

async function find({ endpoint, ...names }: SqsQueuesOptions, kind: QueueKind): Promise<string | undefined> {
  const QueueName = sqsQueueName(names.prefix, names.functionName, kind);
  try {
    const { QueueUrl } = await endpoint.call((sqs, signal) => sqs.getQueueUrl({ QueueName }, signal), {
      limitMs: CALL_LIMIT_MS,
    });
    return QueueUrl;
  } catch (error) {
    if (error instanceof MissingQueueError) return undefined;
    throw error;
  }
}

async function create(
  { endpoint, aws, ...names }: SqsQueuesOptions,
  kind: QueueKind,
  attributes: Readonly<Record<string, string>>,
): Promise<string> {
  const QueueName = sqsQueueName(names.prefix, names.functionName, kind);
  const Attributes = { ...attributes, ...(aws ? { SqsManagedSseEnabled: "true" } : {}) };
  const limits = { limitMs: CALL_LIMIT_MS };
  const { QueueUrl } = await endpoint.call(
    (sqs, signal) => sqs.createQueue({ QueueName, Attributes }, signal),
    limits,
  );
  if (QueueUrl === undefined) throw new Error(`SQS gave no URL for queue ${QueueName}`);
  if (aws) {
    const arn = await arnOf({ endpoint, aws, ...names }, QueueUrl);
    const Policy = JSON.stringify(transportPolicy(arn));
    await endpoint.call(
      (sqs, signal) => sqs.setQueueAttributes({ QueueUrl, Attributes: { Policy } }, signal),
      {
        ...limits,
      },
    );
  }
  return QueueUrl;
}

async function createDead(options: SqsQueuesOptions): Promise<string> {
  const { endpoint, aws } = options;
  const QueueUrl = await create(options, "dead", { MessageRetentionPeriod: String(RETENTION_SECONDS.dead) });
  if (!aws) return QueueUrl;
  const RedriveAllowPolicy = JSON.stringify(redriveAllowPolicy(await arnOf(options, QueueUrl)));
  await endpoint.call(
    (sqs, signal) => sqs.setQueueAttributes({ QueueUrl, Attributes: { RedriveAllowPolicy } }, signal),
    { limitMs: CALL_LIMIT_MS },
  );
  return QueueUrl;
}

async function arnOf({ endpoint }: SqsQueuesOptions, QueueUrl: string): Promise<string> {
  const { Attributes } = await endpoint.call(
    (sqs, signal) => sqs.getQueueAttributes({ QueueUrl, AttributeNames: ["QueueArn"] }, signal),
    { limitMs: CALL_LIMIT_MS },
  );
  const arn = Attributes?.["QueueArn"];
  if (arn === undefined) throw new Error(`SQS gave no ARN for ${QueueUrl}`);
  return arn;
}

function sourceAttributes({ visibilitySeconds }: SqsQueuesOptions, deadArn: string): Record<string, string> {
  return {
    VisibilityTimeout: String(visibilitySeconds),
    MessageRetentionPeriod: String(RETENTION_SECONDS.source),
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: deadArn, maxReceiveCount: MAX_RECEIVES }),
  };
}

/** Returns a policy that forces TLS. Other principals have no access to begin with (S-25). */
export function transportPolicy(arn: string): object {
  return {
    Version: "2012-10-17",
    Statement: [
      {
        Sid: "OnlyTls",
        Effect: "Deny",
        Principal: "*",
        Action: "sqs:*",
        Resource: arn,
        Condition: { Bool: { "aws:SecureTransport": "false" } },
      },
    ],
  };
}

/** Returns a policy by which only the two queues of the same function move messages into its transport DLQ (S-25). */
export function redriveAllowPolicy(deadArn: string): object {
  const stem = deadArn.slice(0, -"dead".length);
  return { redrivePermission: "byQueue", sourceQueueArns: [`${stem}live`, `${stem}resync`] };
}

function adviceOn({ prefix, functionName, region }: SqsQueuesOptions, priority: Priority): string {
  const name = sqsQueueName(prefix, functionName, priority);
  return (
    `SQS queue "${name}" does not exist in ${region}: create it as a standard queue (` +
    `aws sqs create-queue --region ${region} --queue-name ${name}), or let Capstan create it: ` +
    "add &createQueues=true to the queue's URL"
  );
}
