import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { relayCommand, workerCommand } from "../../../../infra/cli/parts.ts";
import type { Manifest } from "../../../../infra/deploy/deployment.ts";
import {
  disruptionBudget,
  functionProcesses,
  processDeployment,
  serverProcesses,
  workloadRelay,
} from "../../../../infra/deploy/manifests/deployments.ts";

interface Deployment extends Manifest {
  readonly spec: {
    readonly replicas?: number;
    readonly template: {
      readonly spec: {
        readonly containers: readonly [{ readonly args: readonly string[] }];
        readonly priorityClassName: string;
        readonly terminationGracePeriodSeconds: number;
      };
    };
  };
}

const processes = [...(await serverProcesses()), ...(await functionProcesses()), await workloadRelay()];
const deployments = processes.map((process) => processDeployment(process) as unknown as Deployment);
const COMMANDS = { relay: relayCommand(new Command()), worker: workerCommand(new Command()) };

describe("the Deployments", () => {
  it("are two relays, and workers whose number belongs to their autoscaler", () => {
    const [relay, ...workers] = deployments;
    const ofWorkloads = workers.pop();
    expect([relay, ofWorkloads].map((each) => each?.spec.replicas)).toEqual([2, 2]);
    expect(new Set(workers.map(({ spec }) => spec.replicas))).toEqual(new Set([undefined]));
    expect(relay?.spec.template.spec.containers[0].args).toContain("--leader-elect");
    expect(ofWorkloads?.spec.template.spec.containers[0].args).toContain("--workloads");
  });

  it("let runs end, stand by their priority, and lose one Pod of a drain at a time", () => {
    for (const [at, { spec }] of deployments.entries()) {
      const { terminationGracePeriodSeconds, priorityClassName } = spec.template.spec;
      expect([terminationGracePeriodSeconds, priorityClassName]).toEqual([
        40,
        `capstan-${processes[at]?.part}`,
      ]);
    }
    expect(processes.map((process) => disruptionBudget(process)["spec"])).toEqual(
      processes.map(({ name }) => ({
        maxUnavailable: 1,
        selector: { matchLabels: { "app.kubernetes.io/name": name } },
      })),
    );
  });

  it("call commands with options that they know", () => {
    for (const { spec } of deployments) {
      const [command, ...args] = spec.template.spec.containers[0].args;
      const known = COMMANDS[command as keyof typeof COMMANDS].options.map(({ long }) => long);
      const given = args.filter((arg) => arg.startsWith("--")).map((arg) => arg.split("=")[0]);
      expect(given.filter((option) => !known.includes(option))).toEqual([]);
    }
  });
});
