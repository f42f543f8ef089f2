import { CANARY } from "../canaries.ts";

/** A statement of a policy after CloudFormation. */
export interface IamStatement {
  readonly Sid: string;
  readonly Effect: "Allow" | "Deny";
  readonly Action: readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: { readonly ArnEquals: { readonly [key: string]: readonly string[] } };
}

/** Who calls AWS: a role with keys of its own. */
export interface Principal {
  readonly name: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Read with each call, so that a test may take one away. */
  statements: readonly IamStatement[];
}

export function principal(name: string, statements: readonly IamStatement[]): Principal {
  const id = name.replaceAll(/[^a-z]/g, "").toUpperCase();
  return { name, accessKeyId: `ASIA${id}`, secretAccessKey: `${CANARY}/${name}`, statements };
}

interface Call {
  /** `sqs:SendMessage` */
  readonly action: string;
  readonly resource: string;
  /** Condition keys of the call, such as `lambda:SourceFunctionArn` of one that code in a Lambda function makes. */
  readonly context?: { readonly [key: string]: string };
}

/** Whether policies of an identity allow a call: one statement has to, and none may deny it. No wildcards but `*`. */
export function isAllowed(statements: readonly IamStatement[], call: Call): boolean {
  const matching = statements.filter((statement) => concerns(statement, call));
  return (
    matching.some(({ Effect }) => Effect === "Allow") && !matching.some(({ Effect }) => Effect === "Deny")
  );
}

function concerns(
  { Action, Resource, Condition }: IamStatement,
  { action, resource, context = {} }: Call,
): boolean {
  const resources = typeof Resource === "string" ? [Resource] : Resource;
  const isMet = Object.entries(Condition?.ArnEquals ?? {}).every(([key, arns]) =>
    arns.includes(context[key] ?? ""),
  );
  return Action.includes(action) && (resources.includes("*") || resources.includes(resource)) && isMet;
}

/** The answer of AWS to a call that is not allowed. */
export function accessDenied({ name }: Principal, { action, resource }: Call) {
  const message = `User: arn:aws:sts::000000000000:assumed-role/${name}/${name} is not authorized to perform: ${action.toLowerCase()} on resource: ${resource} because no identity-based policy allows the ${action.toLowerCase()} action`;
  return { status: 403, body: { __type: "com.amazon.coral.service#AccessDeniedException", message } };
}
