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
