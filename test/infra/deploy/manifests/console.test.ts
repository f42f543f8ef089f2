import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { consoleCommand } from "../../../../infra/cli/console/console.ts";
import type { Manifest } from "../../../../infra/deploy/deployment.ts";
import { consoleComponents } from "../../../../infra/deploy/manifests/console.ts";

const { console, "console-actions": actions } = consoleComponents();
const objects = Object.values(console.files).flat();
const named = (kind: string, name = "capstan-console") =>
  objects.find((object) => object.kind === kind && object.metadata.name === name);
const granted = (name: string) =>
  ((named("ClusterRole", name)?.["rules"] ?? []) as readonly Rule[]).map(
    ({ apiGroups, resources, resourceNames = [], verbs }) =>
      `${verbs.join()} ${[...apiGroups, ...resources, ...resourceNames].join("/")}`,
  );

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

interface Deployment extends Manifest {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly [{ readonly args: readonly string[] }];
        readonly volumes: readonly { readonly secret?: { readonly secretName: string } }[];
      };
    };
  };
}
const pod = (named("Deployment") as unknown as Deployment).spec.template.spec;

describe("the console in a deployment", () => {
  it("has an account that may ask who a person is and which cluster this is, and nothing else", () => {
    expect(granted("capstan-console")).toEqual([
      "create authentication.k8s.io/tokenreviews",
      "create authorization.k8s.io/subjectaccessreviews",
      "get /namespaces/kube-system",
    ]);
    expect(objects.filter(({ kind }) => kind.endsWith("Binding"))).toMatchObject([
      { subjects: [{ kind: "ServiceAccount", name: "capstan-console", namespace: "capstan-system" }] },
    ]);
  });

  it("brings a role to look and one to act, which nothing binds to a person", () => {
    expect(granted("capstan-viewer")).toEqual(["list cluster.x-k8s.io/clusters"]);
    expect(granted("capstan-operator")).toEqual([
      "list cluster.x-k8s.io/clusters",
      "create capstan.dev/deadletters/requeue",
      "delete capstan.dev/deadletters",
      "update capstan.dev/functions/pause",
    ]);
  });

  it("calls the command with options that it knows, and speaks TLS by the names of its certificate", () => {
    const [command, ...args] = pod.containers[0].args;
    expect(command).toBe("console");
    const known = consoleCommand(new Command()).options.map(({ long }) => long);
    expect(args.map((arg) => arg.split("=")[0]).filter((option) => !known.includes(option))).toEqual([]);
    expect(args).toContain("--console-cert-dir=/etc/capstan/console");
    expect(args.filter((arg) => arg.startsWith("--host-name="))).toEqual([
      "--host-name=localhost:9470",
      "--host-name=capstan-console.capstan-system.svc",
    ]);
  });

  it("reads Redis as observer, and only with the component of actions as operator", () => {
    const secrets = pod.volumes.map(({ secret }) => secret?.secretName);
    expect(secrets).toEqual([undefined, "capstan-observer-queue", "capstan-console"]);
    const [{ patch = "" } = {}] = actions.patches ?? [];
    expect(JSON.parse(patch)).toEqual([
      { op: "add", path: "/spec/template/spec/containers/0/args/-", value: "--actions" },
      {
        op: "replace",
        path: `/spec/template/spec/volumes/${secrets.indexOf("capstan-observer-queue")}/secret/secretName`,
        value: "capstan-operator-queue",
      },
    ]);
  });
});
