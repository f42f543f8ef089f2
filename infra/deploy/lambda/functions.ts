import { DEFAULT_TIMEOUT_SECONDS } from "../../worker/lambda.ts";
import type { ServerProcess } from "../manifests/processes.ts";
import { queueId, TOKEN_QUEUES } from "./queues.ts";
import { lambdaRole, logGroupName } from "./roles.ts";
import { EXPENDABLE, logicalId, type Resource, type Resources } from "./stack.ts";

/** Messages of one event; the handler runs as many side by side. */
const BATCH = 10;
/** Invocations of one queue at a time: a resync must not take the places of live events. */
const CONCURRENCY = { live: 50, resync: 5 };
const MEMORY_MIB = 512;
const LOG_DAYS = 30;

/** Returns the Lambda function of a group of functions, with its role, its log and its entry to the cluster. */
export function lambdaOf(lambda: ServerProcess): Resources {
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
