import { serverProcesses } from "../manifests/processes.ts";
import { lambdaOf } from "./functions.ts";
import { queuesOf } from "./queues.ts";
import { RELAY_POLICIES, relayPolicies } from "./roles.ts";
import { substituted } from "./stack.ts";

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
