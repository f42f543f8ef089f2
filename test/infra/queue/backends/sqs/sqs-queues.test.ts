import { describe, expect, it } from "vitest";
import {
  checkSqsPrefix,
  redriveAllowPolicy,
  transportPolicy,
} from "../../../../../infra/queue/backends/sqs/sqs-queues.ts";

const ARN = "arn:aws:sqs:eu-west-1:123456789012:capstan-machinepool-nodes-dead";

describe("the SQS queues of a function", () => {
  it("S-25: are closed to connections without TLS", () => {
    expect(transportPolicy(ARN)).toMatchObject({
      Statement: [
        {
          Effect: "Deny",
          Principal: "*",
          Resource: ARN,
          Condition: { Bool: { "aws:SecureTransport": "false" } },
        },
      ],
    });
  });

  it("S-25: take dead messages only from each other", () => {
    expect(redriveAllowPolicy(ARN)).toEqual({
      redrivePermission: "byQueue",
      sourceQueueArns: [
        "arn:aws:sqs:eu-west-1:123456789012:capstan-machinepool-nodes-live",
        "arn:aws:sqs:eu-west-1:123456789012:capstan-machinepool-nodes-resync",
      ],
    });
  });

  it("have names that SQS takes, also for the longest function name", () => {
    expect(checkSqsPrefix("capstan-")).toBe("capstan-");
    expect(() => checkSqsPrefix("x".repeat(11))).toThrow("is not valid; use [A-Za-z0-9_-]{0,10}");
    expect(() => checkSqsPrefix("a:b")).toThrow("is not valid; use [A-Za-z0-9_-]{0,10}");
  });
});
