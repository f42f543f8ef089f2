import type { AnyFunction } from "../../../shared/function/define-function.ts";
import type { Manifest } from "../deployment.ts";
import { processAccount, RIGHTS } from "../manifests/accounts.ts";
import { type ServerProcess, serverProcesses } from "../manifests/deployments.ts";
import {
  arnOf,
  logicalId,
  policyDocument,
  queueArn,
  type Resource,
  type Resources,
  type Statement,
  TOKEN_QUEUES,
  type TokenQueue,
} from "./stack.ts";

/**
 * Returns the rights of the Lambda functions in the management cluster: those of the workers of their group, bound to
 * the group that their entry to the cluster names.
 */
export async function lambdaAccess(): Promise<readonly Manifest[]> {
  const [, ...workers] = await serverProcesses();
  return workers.flatMap((worker) =>
    processAccount(worker)
      .filter(isForLambda)
      .map((object) => (object.kind === "ClusterRoleBinding" ? boundToGroup(object, worker) : object)),
  );
}

/** A Lambda function has no ServiceAccount, and nothing asks for its diagnostics. */
function isForLambda({ kind, metadata }: Manifest): boolean {
  return kind !== "ServiceAccount" && metadata.labels?.[RIGHTS] !== "diagnostics";
}

/** A name of its own, so that workers may run beside Lambda functions. */
function boundToGroup(binding: Manifest, { name }: ServerProcess): Manifest {
  const metadata = { ...binding.metadata, name: `${binding.metadata.name}-lambda` };
  return { ...binding, metadata, subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name }] };
}

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
  const SourceFunctionArn = [arnOf("lambda", `function:${lambda.name}`)];
  return [
    {
      // One statement for both, because the policies of a role have 10,240 characters in all.
      Sid: "TakeAndSendTokens",
      Effect: "Allow",
      Action: ["sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage", ...SEND_ACTIONS],
      Resource: TOKEN_QUEUES.flatMap((kind) => queueArns(lambda.functions, kind)),
    },
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

const SEND_ACTIONS = ["sqs:GetQueueUrl", "sqs:SendMessage"];

function queueArns(functions: readonly AnyFunction[], kind: TokenQueue): readonly string[] {
  return functions.map(({ spec }) => queueArn(spec.name, kind));
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

/** The policies for the role of the relay, by kind of queue: one has 6,144 characters at most. */
export const RELAY_POLICIES = TOKEN_QUEUES.map((kind) => ({ kind, id: logicalId(`relay-policy-${kind}`) }));

/** Returns the policies for the role of the relay, which is a container elsewhere: it sends tokens of all functions. */
export function relayPolicies(functions: readonly AnyFunction[]): Resources {
  const policies = RELAY_POLICIES.map(({ kind, id }): [string, Resource] => {
    const Resource = queueArns(functions, kind);
    const send: Statement = { Sid: "SendTokens", Effect: "Allow", Action: SEND_ACTIONS, Resource };
    const Description = `Lets a relay of Capstan send tokens to the ${kind} queues of all functions`;
    const Properties = { Description, PolicyDocument: policyDocument([send]) };
    return [id, { Type: "AWS::IAM::ManagedPolicy", Properties }];
  });
  return Object.fromEntries(policies);
}
