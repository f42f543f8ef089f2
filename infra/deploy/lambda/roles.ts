import type { AnyFunction } from "../../../shared/function/define-function.ts";
import type { ServerProcess } from "../manifests/processes.ts";
import { queueArn, TOKEN_QUEUES } from "./queues.ts";
import { arnOf, policyDocument, type Resource, type Statement } from "./stack.ts";

/** Lambda puts the function into the subnets; EC2 knows no ARNs for most of these actions. */
const NETWORK_ACTIONS = [
  "ec2:AssignPrivateIpAddresses",
  "ec2:CreateNetworkInterface",
  "ec2:DeleteNetworkInterface",
  "ec2:DescribeNetworkInterfaces",
  "ec2:DescribeSubnets",
  "ec2:UnassignPrivateIpAddresses",
];

/** Returns the name of the log group of a Lambda function. */
export function logGroupName({ name }: ServerProcess): string {
  return `/aws/lambda/${name}`;
}

/**
 * Returns what the role of a Lambda function may do: Lambda takes its messages, its code sends tokens of its own
 * functions, and both write its log. Source: S-25
 */
function lambdaStatements(lambda: ServerProcess): readonly Statement[] {
  const queues = tokenQueuesOf(lambda.functions);
  const SourceFunctionArn = [arnOf("lambda", `function:${lambda.name}`)];
  return [
    {
      Sid: "TakeTokens",
      Effect: "Allow",
      Action: ["sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"],
      Resource: queues,
    },
    sendTokens(queues),
    {
      Sid: "WriteLog",
      Effect: "Allow",
      Action: ["logs:CreateLogStream", "logs:PutLogEvents"],
      Resource: [arnOf("logs", `log-group:${logGroupName(lambda)}:*`)],
    },
    { Sid: "JoinSubnets", Effect: "Allow", Action: NETWORK_ACTIONS, Resource: "*" },
    {
      // For the platform only: https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html
      Sid: "JoinNothingByCode",
      Effect: "Deny",
      Action: NETWORK_ACTIONS,
      Resource: "*",
      Condition: { ArnEquals: { "lambda:SourceFunctionArn": SourceFunctionArn } },
    },
  ];
}

/** Returns what a relay needs of AWS: it sends tokens of all functions. */
function relayStatements(functions: readonly AnyFunction[]): readonly Statement[] {
  return [sendTokens(tokenQueuesOf(functions))];
}

function sendTokens(queues: readonly string[]): Statement {
  const Action = ["sqs:GetQueueUrl", "sqs:SendMessage"];
  return { Sid: "SendTokens", Effect: "Allow", Action, Resource: queues };
}

function tokenQueuesOf(functions: readonly AnyFunction[]): readonly string[] {
  return functions.flatMap(({ spec }) => TOKEN_QUEUES.map((kind) => queueArn(spec.name, kind)));
}

/** Returns the role of a Lambda function. */
export function lambdaRole(lambda: ServerProcess): Resource {
  const trust = {
    Effect: "Allow",
    Principal: { Service: "lambda.amazonaws.com" },
    Action: "sts:AssumeRole",
  };
  return {
    Type: "AWS::IAM::Role",
    Properties: {
      AssumeRolePolicyDocument: { Version: "2012-10-17", Statement: [trust] },
      Policies: [{ PolicyName: lambda.name, PolicyDocument: policyDocument(lambdaStatements(lambda)) }],
    },
  };
}

/** Returns the policy for the role of the relay, which is a container elsewhere. */
export function relayPolicy(functions: readonly AnyFunction[]): Resource {
  return {
    Type: "AWS::IAM::ManagedPolicy",
    Properties: {
      Description: "Lets a relay of Capstan send tokens to the queues of all functions",
      PolicyDocument: policyDocument(relayStatements(functions)),
    },
  };
}
