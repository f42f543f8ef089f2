import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { load } from "js-yaml";
import { describe, expect, it } from "vitest";
import { renderedFiles } from "../../../../infra/deploy/rendered.ts";
import { redriveAllowPolicy, transportPolicy } from "../../../../infra/queue/backends/sqs/sqs-queues.ts";
import { loadFunctions } from "../../../../infra/worker/load.ts";
import { groupOf } from "../../../../shared/function/groups.ts";
import { isAllowed } from "../../../support/aws/iam.ts";
import { arnOf, readStack } from "../../../support/aws/stack.ts";
import { cfnLint, cfnLintMissing } from "../../../support/cfn-lint.ts";
import { describeWith } from "../../../support/requires.ts";
import { testFolder } from "../../../support/test-folder.ts";

const SECRET = "rediss://capstan:password@redis:6379";
const PARAMETERS = {
  ImageUri: "000000000000.dkr.ecr.us-east-1.amazonaws.com/capstan@sha256:0",
  RedisSecret: "capstan-redis",
  EksCluster: "demo",
  EksServer: "https://demo.eks.amazonaws.com",
  EksCa: "Y2E=",
  LogLevel: "warn",
  RedisMayLoseData: "true",
  Architecture: "arm64",
  SubnetIds: "subnet-1",
  SecurityGroupIds: "sg-1",
};
const [rendered, stack, functions] = await Promise.all([
  renderedFiles(),
  readStack(PARAMETERS, { "capstan-redis:SecretString:url": SECRET }),
  loadFunctions(["cluster-api"]),
]);
const text = rendered.get("aws/template.yaml") ?? "";
const template = load(text) as { readonly Resources: Record<string, Resource> };
const names = functions.map(({ spec }) => spec.name);
const ofType = (type: string) => Object.values(template.Resources).filter(({ Type }) => Type === type);

interface Resource {
  readonly Type: string;
  readonly Properties: {
    readonly Events: { readonly [name: string]: { readonly Properties: object } };
    readonly PolicyDocument: unknown;
    readonly Dimensions: readonly unknown[];
  };
}

const TESTED = { Partition: "aws", Region: "us-east-1", AccountId: "000000000000" };
/** Those with the longest names. */
const LONGEST = { ...TESTED, Partition: "aws-us-gov", Region: "ap-southeast-5" };

/** The text of a policy as it arrives at AWS. */
function sent(document: unknown, account: typeof TESTED): string {
  return JSON.stringify(document)
    .replaceAll(/\{"Fn::Sub":("[^"]*")\}/g, "$1")
    .replaceAll(/\$\{AWS::(\w+)\}/g, (_, name: keyof typeof account) => account[name]);
}

describe("the template for AWS", () => {
  it("has three queues for each function, with the settings that the queue driver gives them", () => {
    const byName = new Map(stack.queues.map(({ name, attributes }) => [name, attributes]));
    const expected = names.flatMap((name) =>
      ["dead", "live", "resync"].map((kind) => `capstan-${name}-${kind}`),
    );
    expect(new Set(byName.keys())).toEqual(new Set(expected));
    for (const name of names) {
      const dead = `capstan-${name}-dead`;
      expect(byName.get(dead)).toEqual({
        SqsManagedSseEnabled: "true",
        MessageRetentionPeriod: "1209600",
        RedriveAllowPolicy: JSON.stringify(redriveAllowPolicy(arnOf(dead))),
      });
      for (const kind of ["live", "resync"]) {
        expect(byName.get(`capstan-${name}-${kind}`)).toEqual({
          SqsManagedSseEnabled: "true",
          // Six times the timeout.
          VisibilityTimeout: "360",
          MessageRetentionPeriod: "345600",
          RedrivePolicy: JSON.stringify({ deadLetterTargetArn: arnOf(dead), maxReceiveCount: 10 }),
        });
      }
    }
    const policies = ofType("AWS::SQS::QueuePolicy").map(({ Properties }) =>
      sent(Properties.PolicyDocument, TESTED),
    );
    const wanted = [...byName.keys()].map((name) => JSON.stringify(transportPolicy(arnOf(name))));
    expect(new Set(policies)).toEqual(new Set(wanted));
    expect(ofType("AWS::CloudWatch::Alarm")).toHaveLength(names.length);
  });

  it("has a Lambda function for each group, which takes the messages of all its functions and of no other", () => {
    expect(stack.lambdas.map(({ name }) => name)).toEqual([
      "capstan-worker-core",
      "capstan-worker-workload",
      "capstan-worker-credentials",
    ]);
    for (const lambda of stack.lambdas) {
      const own = functions.filter(({ spec }) => `capstan-worker-${groupOf(spec)}` === lambda.name);
      const ownNames = own.map(({ spec }) => spec.name);
      expect(lambda.command).toEqual(["lambda", "--timeout-seconds", "60", "--functions", ...ownNames]);
      expect(lambda.queues).toEqual(
        ownNames.flatMap((name) => [`capstan-${name}-live`, `capstan-${name}-resync`]),
      );
      expect(lambda).toMatchObject({ timeoutSeconds: 60, groups: [lambda.name] });
      expect(lambda.environment).toMatchObject({
        CAPSTAN_QUEUE: `sqs://us-east-1?redis=${SECRET}`,
        CAPSTAN_EKS_CLUSTER: "demo",
      });
    }
    for (const { Properties } of ofType("AWS::Serverless::Function")) {
      for (const [name, event] of Object.entries(Properties.Events)) {
        expect(event.Properties).toMatchObject({
          BatchSize: 10,
          FunctionResponseTypes: ["ReportBatchItemFailures"],
          ScalingConfig: { MaximumConcurrency: name.endsWith("Live") ? 50 : 5 },
        });
      }
    }
  });

  it("S-25: lets each role touch the queues of its own functions only, by exact ARNs", () => {
    const [core, workload] = stack.lambdas;
    const sends = (statements: typeof stack.relay, queue: string | undefined) =>
      isAllowed(statements, { action: "sqs:SendMessage", resource: arnOf(queue ?? "") });
    expect(sends(core?.statements ?? [], core?.queues[0])).toBe(true);
    expect(sends(core?.statements ?? [], workload?.queues[0])).toBe(false);
    expect(sends(stack.relay, workload?.queues[0])).toBe(true);
    for (const { statements, name } of stack.lambdas) {
      const anywhere = statements.filter(({ Resource }) => Resource === "*");
      expect(anywhere.map(({ Sid }) => Sid)).toEqual(["JoinSubnets", "JoinNothingByCode"]);
      expect(statements.flatMap(({ Action }) => Action).filter((action) => action.includes("*"))).toEqual([]);
      const context = {
        "lambda:SourceFunctionArn": `arn:aws:lambda:us-east-1:000000000000:function:${name}`,
      };
      const join = { action: "ec2:CreateNetworkInterface", resource: "any" };
      expect([isAllowed(statements, join), isAllowed(statements, { ...join, context })]).toEqual([
        true,
        false,
      ]);
    }
  });

  it("keeps the limits of IAM and CloudFormation", () => {
    for (const { Properties } of ofType("AWS::IAM::Role"))
      expect(sent(Properties, LONGEST).length).toBeLessThan(10_240);
    const policies = ofType("AWS::IAM::ManagedPolicy");
    expect(policies).toHaveLength(2);
    for (const { Properties } of policies)
      expect(sent(Properties.PolicyDocument, LONGEST).length).toBeLessThan(6_144);
    // Event source mappings are resources, too.
    expect(Object.keys(template.Resources).length + 2 * names.length).toBeLessThan(500);
    expect(text.length).toBeLessThan(1024 * 1024);
  });
});

/**
 * The template with the queues of one function alone, one of which hides messages for too long. Rules that the
 * template has cfn-lint ignore are ignored here, too; to read the whole of it a second time would take as long again.
 */
const PLANTED = JSON.stringify({
  ...template,
  ...{ Parameters: undefined, Conditions: undefined, Outputs: undefined },
  Resources: Object.fromEntries(
    Object.entries(template.Resources)
      .filter(([, { Type }]) => Type === "AWS::SQS::Queue")
      .slice(0, 3),
  ),
}).replace('"VisibilityTimeout":360', '"VisibilityTimeout":99999');

describeWith(cfnLintMissing())("the template for AWS in cfn-lint", () => {
  it("has no finding, and a planted mistake is found", async () => {
    const folder = testFolder("template");
    const planted = join(folder, "planted.yaml");
    await writeFile(planted, PLANTED);
    const readme = await readFile("infra/deploy/lambda/README.md", "utf8");
    expect(readme).toContain("\ncfn-lint .capstan/rendered/aws/template.yaml\n");
    const file = join(folder, "template.yaml");
    await writeFile(file, text);
    const findings = cfnLint(file, planted).map(({ Filename, Rule }) => `${Rule.Id} ${Filename}`);
    expect(findings).toEqual([expect.stringMatching(/^E\d+ .*planted\.yaml$/)]);
  });
});
