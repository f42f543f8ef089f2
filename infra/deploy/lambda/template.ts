import { DEFAULT_TIMEOUT_SECONDS } from "../../worker/lambda.ts";
import { type ServerProcess, serverProcesses } from "../manifests/deployments.ts";
import { lambdaRole, logGroupName, RELAY_POLICIES, relayPolicies } from "./roles.ts";
import {
  EXPENDABLE,
  logicalId,
  queueId,
  queuesOf,
  type Resource,
  type Resources,
  substituted,
  TOKEN_QUEUES,
} from "./stack.ts";

/** Messages of one event; the handler runs as many side by side. */
const BATCH = 10;
/** Invocations of one queue at a time: a resync must not take the places of live events. */
const CONCURRENCY = { live: 50, resync: 5 };
const MEMORY_MIB = 512;
const LOG_DAYS = 30;

/** Returns the Lambda function of a group of functions, with its role, its log and its entry to the cluster. */
function lambdaOf(lambda: ServerProcess): Resources {
  const id = logicalId(lambda.name);
  const roleArn = { "Fn::GetAtt": [`${id}Role`, "Arn"] };
  return {
    [`${id}Log`]: {
      Type: "AWS::Logs::LogGroup",
      Properties: { LogGroupName: logGroupName(lambda), RetentionInDays: LOG_DAYS },
      ...EXPENDABLE,
    },
    [`${id}Role`]: lambdaRole(lambda),
    // The group has its rights from rights.yaml.
    [`${id}Access`]: {
      Type: "AWS::EKS::AccessEntry",
      Properties: {
        ClusterName: { Ref: "EksCluster" },
        PrincipalArn: roleArn,
        KubernetesGroups: [lambda.name],
      },
    },
    [id]: functionOf(lambda, id, roleArn),
  };
}

function functionOf(lambda: ServerProcess, id: string, roleArn: object): Resource {
  const names = lambda.functions.map(({ spec }) => spec.name);
  return {
    Type: "AWS::Serverless::Function",
    Properties: {
      FunctionName: lambda.name,
      Description: `Functions of the group ${lambda.group}`,
      PackageType: "Image",
      ImageUri: { Ref: "ImageUri" },
      ImageConfig: { Command: lambdaCommandOf(names) },
      Architectures: [{ Ref: "Architecture" }],
      MemorySize: MEMORY_MIB,
      Timeout: DEFAULT_TIMEOUT_SECONDS,
      Role: roleArn,
      LoggingConfig: { LogGroup: { Ref: `${id}Log` } },
      VpcConfig: { SubnetIds: { Ref: "SubnetIds" }, SecurityGroupIds: { Ref: "SecurityGroupIds" } },
      Environment: { Variables: ENVIRONMENT },
      Events: Object.fromEntries(
        names.flatMap((name) => TOKEN_QUEUES.map((kind) => [queueId(name, kind), mappingOf(name, kind)])),
      ),
    },
  };
}

/** Arguments of the image in Lambda. */
function lambdaCommandOf(names: readonly string[]): readonly string[] {
  return ["lambda", "--timeout-seconds", String(DEFAULT_TIMEOUT_SECONDS), "--functions", ...names];
}

/** CloudFormation reads the secret; it stands neither in the template nor in its parameters. */
const REDIS_URL = "{{resolve:secretsmanager:${RedisSecret}:SecretString:url}}";

const ENVIRONMENT = {
  CAPSTAN_QUEUE: `sqs://\${AWS::Region}?redis=${REDIS_URL}`,
  CAPSTAN_REDIS_MAY_LOSE_DATA: { Ref: "RedisMayLoseData" },
  CAPSTAN_EKS_CLUSTER: { Ref: "EksCluster" },
  CAPSTAN_EKS_SERVER: { Ref: "EksServer" },
  CAPSTAN_EKS_CA: { Ref: "EksCa" },
  CAPSTAN_LOG_LEVEL: { Ref: "LogLevel" },
};

function mappingOf(name: string, kind: (typeof TOKEN_QUEUES)[number]): object {
  return {
    Type: "SQS",
    Properties: {
      Queue: { "Fn::GetAtt": [queueId(name, kind), "Arn"] },
      BatchSize: BATCH,
      FunctionResponseTypes: ["ReportBatchItemFailures"],
      ScalingConfig: { MaximumConcurrency: CONCURRENCY[kind] },
    },
  };
}

const PARAMETERS = {
  ImageUri: {
    Type: "String",
    Description: "Capstan's image in a registry of this account and region, with its digest",
  },
  Architecture: {
    Type: "String",
    Description: "That of the image",
    AllowedValues: ["arm64", "x86_64"],
    Default: "arm64",
  },
  SubnetIds: {
    Type: "List<AWS::EC2::Subnet::Id>",
    Description: "Subnets from which Redis, SQS, the API server and the workload clusters can be reached",
  },
  SecurityGroupIds: {
    Type: "List<AWS::EC2::SecurityGroup::Id>",
    Description: "Security groups that Redis and the API server admit",
  },
  RedisSecret: {
    Type: "String",
    Description:
      "Name or ARN of a secret of Secrets Manager whose member url is rediss://USER:PASSWORD@HOST:PORT, with & # + % percent-encoded",
  },
  EksCluster: { Type: "String", Description: "Name of the management cluster in EKS" },
  EksServer: { Type: "String", Description: "Its endpoint, https://…", AllowedPattern: "https://.+" },
  EksCa: { Type: "String", Description: "Its certificate authority, base64 of PEM" },
  AlarmTopic: {
    Type: "String",
    Description: "ARN of a topic of SNS for alarms; empty: they are only shown",
    Default: "",
  },
  RedisMayLoseData: {
    Type: "String",
    Description:
      "true accepts a Redis that keeps nothing on disk, or hides it as ElastiCache does: queue, dead letters and read model may be lost with it, and a resync rebuilds queue and read model",
    AllowedValues: ["true", "false"],
    Default: "false",
  },
  LogLevel: {
    Type: "String",
    Description: "Least level of the log",
    AllowedValues: ["debug", "info", "warn", "error"],
    Default: "warn",
  },
};

/** Returns the template of all functions as Lambda functions; the same on every machine. */
export async function template(): Promise<unknown> {
  const [relay, ...workers] = await serverProcesses();
  return substituted({
    AWSTemplateFormatVersion: "2010-09-09",
    Transform: "AWS::Serverless-2016-10-31",
    Description: "Functions of Capstan on AWS Lambda, and their queues. A relay runs beside them.",
    Parameters: PARAMETERS,
    Conditions: { HasAlarmTopic: { "Fn::Not": [{ "Fn::Equals": [{ Ref: "AlarmTopic" }, ""] }] } },
    Resources: Object.assign(
      relayPolicies(relay.functions),
      ...workers.map(lambdaOf),
      ...relay.functions.map(({ spec }) => queuesOf(spec.name)),
    ),
    Outputs: Object.fromEntries(
      RELAY_POLICIES.map(({ kind, id }) => [
        id,
        {
          Description: `Policy for the role of the relay's container: ${kind} queues`,
          Value: { Ref: id },
        },
      ]),
    ),
  });
}
