import type { Command } from "commander";
import { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import { systemClock } from "../../platform/clock.ts";
import { print } from "../../platform/terminal/print.ts";
import { addDeploymentArgument, type DeploymentOptions, openRollout } from "./deployment-argument.ts";

/** A switch of a rollout: what it writes, or why it refuses to. */
interface Switch {
  /** `restarted` */
  readonly done: string;
  /** Throws where clusterctl refuses, too. Source: cmd/clusterctl/client/alpha/{rollout_restarter,rollout_pauser}.go */
  readonly operations: (deployment: MachineDeployment, now: Date) => readonly PatchOperation[];
}

export function restartCommand(command: Command): Command {
  return switchCommand(command, { done: "restarted", operations: restart });
}

export function pauseCommand(command: Command): Command {
  return switchCommand(command, { done: "paused", operations: pause });
}

export function resumeCommand(command: Command): Command {
  return switchCommand(command, { done: "resumed", operations: resume });
}

function switchCommand(command: Command, { done, operations }: Switch): Command {
  return addDeploymentArgument(command).action(async (named: string, options: DeploymentOptions) => {
    using rollout = await openRollout(named, options);
    const { key, client } = rollout;
    const { deployment } = await rollout.read();
    const { resourceVersion } = deployment.metadata;
    const test: PatchOperation = { op: "test", path: "/metadata/resourceVersion", value: resourceVersion };
    const written = operations(deployment, systemClock.now());
    await client.jsonPatch(MachineDeployment, key, [test, ...written]);
    print(`MachineDeployment ${key.namespace}/${key.name} ${done}`);
  });
}

/** Replaces all Machines by writing the present time, in seconds, as clusterctl does. */
export function restart({ spec, metadata }: MachineDeployment, now: Date): readonly PatchOperation[] {
  const title = `machinedeployment/${metadata.name}`;
  if (spec.paused === true) {
    throw new Error(`can't restart paused MachineDeployment (run rollout resume first): ${title}`);
  }
  if (Date.parse(spec.rollout?.after ?? "") > now.getTime()) {
    throw new Error(`can't update MachineDeployment (remove 'spec.rollout.after' first): ${title}`);
  }
  const after = now.toISOString().replace(/\.\d+Z$/, "Z");
  return [
    ...(spec.rollout === undefined ? ([{ op: "add", path: "/spec/rollout", value: {} }] as const) : []),
    { op: "add", path: "/spec/rollout/after", value: after },
  ];
}

export function pause({ spec, metadata }: MachineDeployment): readonly PatchOperation[] {
  if (spec.paused === true)
    throw new Error(`MachineDeployment is already paused: machinedeployment/${metadata.name}`);
  return [{ op: "add", path: "/spec/paused", value: true }];
}

export function resume({ spec, metadata }: MachineDeployment): readonly PatchOperation[] {
  if (spec.paused !== true)
    throw new Error(`MachineDeployment is not currently paused: machinedeployment/${metadata.name}`);
  return [{ op: "add", path: "/spec/paused", value: false }];
}
