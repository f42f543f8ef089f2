import { load } from "js-yaml";
import { renderedFiles } from "../../../infra/deploy/rendered.ts";
import type { IamStatement } from "./iam.ts";

const PSEUDO: { readonly [name: string]: string } = {
  "AWS::Partition": "aws",
  "AWS::Region": "us-east-1",
  "AWS::AccountId": "000000000000",
};

interface Resource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a template is read, not typed
  readonly Properties: any;
}

interface StackQueue {
  readonly name: string;
  readonly attributes: { readonly [name: string]: string };
}

export interface StackLambda {
  readonly name: string;
  readonly command: readonly string[];
  readonly environment: { readonly [name: string]: string };
  readonly timeoutSeconds: number;
  readonly statements: readonly IamStatement[];
  /** Names of its queues. */
  readonly queues: readonly string[];
  /** Groups of its role in the cluster. */
  readonly groups: readonly string[];
}

/** The parts of the rendered template that tests need, as CloudFormation resolves them. */
export interface Stack {
  /** Those that others name come first. */
  readonly queues: readonly StackQueue[];
  readonly lambdas: readonly StackLambda[];
  readonly relay: readonly IamStatement[];
}

/** Reads the rendered template, with these parameters and values of the secrets that it names. */
export async function readStack(
  parameters: { readonly [name: string]: string },
  secrets: { readonly [id: string]: string } = {},
): Promise<Stack> {
  const template = load((await renderedFiles()).get("aws/template.yaml") ?? "") as {
    readonly Resources: Record<string, Resource>;
  };
  const resources = template.Resources;
  const text = (value: string): string =>
    value
      .replaceAll(/\$\{([^}]+)\}/g, (_, name: string) => textOf(name))
      .replaceAll(/\{\{resolve:secretsmanager:([^}]+)\}\}/g, (_, id: string) => secrets[id] ?? missing(id));
  const textOf = (name: string): string => parameters[name] ?? PSEUDO[name] ?? nameOf(name);
  const nameOf = (id: string): string =>
    resources[id]?.Properties.QueueName ?? (id in resources ? id : missing(id));
  const resolved = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map(resolved);
    if ("Fn::Sub" in value) return text(String(value["Fn::Sub"]));
    if ("Ref" in value) return textOf(String(value.Ref));
    if ("Fn::GetAtt" in value) {
      const [id, attribute] = value["Fn::GetAtt"] as [string, string];
      return attribute === "Arn" ? arnOf(nameOf(id)) : nameOf(id);
    }
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, resolved(member)]));
  };
  const ofType = (type: string): readonly (readonly [string, Resource])[] =>
    Object.entries(resources)
      .filter(([, { Type }]) => Type === type)
      .map(([id, resource]) => [id, resolved(resource) as Resource]);
  const roles = new Map(ofType("AWS::IAM::Role"));
  const entries = ofType("AWS::EKS::AccessEntry").map(([, { Properties }]) => Properties);
  return {
    queues: ofType("AWS::SQS::Queue")
      .map(([, { Properties }]) => queueOf(Properties))
      .toSorted((a, b) => Number(b.name.endsWith("-dead")) - Number(a.name.endsWith("-dead"))),
    lambdas: ofType("AWS::Serverless::Function").map(([id, { Properties }]) => ({
      name: Properties.FunctionName,
      command: Properties.ImageConfig.Command,
      environment: Properties.Environment.Variables,
      timeoutSeconds: Properties.Timeout,
      statements: roles.get(`${id}Role`)?.Properties.Policies[0].PolicyDocument.Statement,
      groups: entries.find(({ PrincipalArn }) => PrincipalArn === Properties.Role)?.KubernetesGroups,
      queues: Object.values<{ Properties: { Queue: string } }>(Properties.Events).map(
        ({ Properties: { Queue } }) => Queue.split(":").at(-1) ?? "",
      ),
    })),
    relay: ofType("AWS::IAM::ManagedPolicy").flatMap(
      ([, { Properties }]) => Properties.PolicyDocument.Statement,
    ),
  };
}

function queueOf({ QueueName, ...settings }: { readonly QueueName: string }): StackQueue {
  const attributes = Object.entries<unknown>(settings).map(([name, value]) => [
    name,
    typeof value === "object" ? JSON.stringify(value) : String(value),
  ]);
  return { name: QueueName, attributes: Object.fromEntries(attributes) };
}

/** The ARN of a queue, as the emulator gives it. */
export function arnOf(queue: string): string {
  return `arn:aws:sqs:us-east-1:000000000000:${queue}`;
}

function missing(name: string): never {
  throw new Error(`the template names ${name}, which is neither a parameter nor a resource`);
}
