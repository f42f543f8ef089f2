import { describe, expect, it } from "vitest";
import { importSqs } from "../../../../../infra/queue/backends/sqs/sqs-endpoint.ts";

describe("the AWS SDK", () => {
  it("is asked for by name when it is not installed", async () => {
    const absent = () => Promise.reject(new Error("Cannot find package '@aws-sdk/client-sqs'"));
    await expect(importSqs(absent)).rejects.toThrow(
      "the SQS queue needs the AWS SDK; run npm install @aws-sdk/client-sqs",
    );
  });
});
