import { DEFAULT_SQS_PREFIX } from "../../queue/backends/sqs/sqs.ts";
import {
  MAX_RECEIVES,
  type QueueKind,
  RETENTION_SECONDS,
  redriveAllowPolicy,
  sqsQueueName,
  transportPolicy,
} from "../../queue/backends/sqs/sqs-queues.ts";
import { DEFAULT_TIMEOUT_SECONDS } from "../../worker/lambda.ts";

/** A resource of CloudFormation. */
export interface Resource {
  readonly Type: string;
  readonly Properties: { readonly [property: string]: unknown };
  readonly [attribute: string]: unknown;
}

/** Resources by their logical IDs. */
export interface Resources {
  readonly [logicalId: string]: Resource;
}

/** Goes with the stack: what must last is in the ledger. */
export const EXPENDABLE = { DeletionPolicy: "Delete", UpdateReplacePolicy: "Delete" };

/** A statement of an IAM policy. Its texts may hold `${…}` of CloudFormation. */
export interface Statement {
  readonly Sid: string;
  readonly Effect: "Allow" | "Deny";
  readonly Action: readonly string[];
  readonly Resource: "*" | readonly string[];
  readonly Condition?: object;
}

/** Returns the name of a resource in the template: `machinepool-nodes`, `Live` → `MachinepoolNodesLive`. */
export function logicalId(name: string, suffix = ""): string {
  const words = name.split("-").map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`);
  return `${words.join("")}${suffix}`;
}

/** Returns the ARN of something in the account and region of the stack. */
export function arnOf(service: string, resource: string): string {
  return `arn:\${AWS::Partition}:${service}:\${AWS::Region}:\${AWS::AccountId}:${resource}`;
}

export function policyDocument(statements: readonly Statement[]): object {
  return { Version: "2012-10-17", Statement: statements };
}

/** Returns a value in which CloudFormation replaces each `${…}`. */
export function substituted(value: unknown): unknown {
  if (typeof value === "string") return value.includes("${") ? { "Fn::Sub": value } : value;
  if (Array.isArray(value)) return value.map(substituted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, key === "Fn::Sub" ? member : substituted(member)]),
  );
}

/** The timeout that AWS asks for: a batch may be retried while the function is throttled. */
const VISIBILITY_SECONDS = 6 * DEFAULT_TIMEOUT_SECONDS;

/** Queues that carry tokens. */
export const TOKEN_QUEUES = ["live", "resync"] as const satisfies readonly QueueKind[];
export type TokenQueue = (typeof TOKEN_QUEUES)[number];

/** Returns the ARN of a queue of a function. */
export function queueArn(functionName: string, kind: QueueKind): string {
  return arnOf("sqs", sqsQueueName(DEFAULT_SQS_PREFIX, functionName, kind));
}

export function queueId(functionName: string, kind: QueueKind): string {
  return logicalId(`${functionName}-${kind}`);
}

/**
 * Returns the queues of a function with what the queue driver sets where it creates them, and an alarm on the one that
 * is expected to be empty. Source: Q-32, S-25
 */
export function queuesOf(functionName: string): Resources {
  const deadId = queueId(functionName, "dead");
  const deadLetterTargetArn = { "Fn::GetAtt": [deadId, "Arn"] };
  const source = {
    VisibilityTimeout: VISIBILITY_SECONDS,
    MessageRetentionPeriod: RETENTION_SECONDS.source,
    RedrivePolicy: { deadLetterTargetArn, maxReceiveCount: MAX_RECEIVES },
  };
  const dead = {
    MessageRetentionPeriod: RETENTION_SECONDS.dead,
    RedriveAllowPolicy: redriveAllowPolicy(queueArn(functionName, "dead")),
  };
  return {
    ...queue(functionName, "dead", dead),
    ...queue(functionName, "live", source),
    ...queue(functionName, "resync", source),
    [`${deadId}Alarm`]: alarmOn(functionName, deadId),
  };
}

function queue(functionName: string, kind: QueueKind, settings: object): Resources {
  const id = queueId(functionName, kind);
  const QueueName = sqsQueueName(DEFAULT_SQS_PREFIX, functionName, kind);
  const policy = { Queues: [{ Ref: id }], PolicyDocument: transportPolicy(queueArn(functionName, kind)) };
  return {
    [id]: {
      Type: "AWS::SQS::Queue",
      ...EXPENDABLE,
      Properties: { QueueName, SqsManagedSseEnabled: true, ...settings },
    },
    [`${id}Policy`]: { Type: "AWS::SQS::QueuePolicy", Properties: policy },
  };
}

function alarmOn(functionName: string, deadId: string): Resource {
  return {
    Type: "AWS::CloudWatch::Alarm",
    Properties: {
      AlarmDescription: `Messages of ${functionName} were received ${MAX_RECEIVES} times and never handled: read the log of its Lambda function`,
      Namespace: "AWS/SQS",
      MetricName: "ApproximateNumberOfMessagesVisible",
      Dimensions: [{ Name: "QueueName", Value: { "Fn::GetAtt": [deadId, "QueueName"] } }],
      Statistic: "Maximum",
      Period: 60,
      EvaluationPeriods: 1,
      ComparisonOperator: "GreaterThanThreshold",
      Threshold: 0,
      TreatMissingData: "notBreaching",
      AlarmActions: [{ "Fn::If": ["HasAlarmTopic", { Ref: "AlarmTopic" }, { Ref: "AWS::NoValue" }] }],
    },
  };
}
