import { describe, expect, it } from "vitest";
import { type IamStatement, isAllowed } from "./iam.ts";

const ARN = "arn:aws:sqs:us-east-1:000000000000:q";
const allow: IamStatement = { Sid: "Send", Effect: "Allow", Action: ["sqs:SendMessage"], Resource: [ARN] };
const call = { action: "sqs:SendMessage", resource: ARN };

describe("policies of an identity", () => {
  it("allow only what a statement names", () => {
    expect(isAllowed([], call)).toBe(false);
    expect(isAllowed([allow], call)).toBe(true);
    expect(isAllowed([{ ...allow, Resource: "*" }], call)).toBe(true);
    expect(isAllowed([allow], { ...call, action: "sqs:ReceiveMessage" })).toBe(false);
    expect(isAllowed([allow], { ...call, resource: `${ARN}2` })).toBe(false);
  });

  it("deny where a statement denies, if its condition is met", () => {
    const Condition = { ArnEquals: { "lambda:SourceFunctionArn": ["f"] } };
    const statements: readonly IamStatement[] = [allow, { ...allow, Effect: "Deny", Condition }];
    expect(isAllowed(statements, call)).toBe(true);
    expect(isAllowed(statements, { ...call, context: { "lambda:SourceFunctionArn": "f" } })).toBe(false);
  });
});
