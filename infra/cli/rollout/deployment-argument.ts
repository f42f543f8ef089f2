import type { Command } from "commander";
import { kindNames, type ObjectKey, titleOf } from "../../../shared/api/kinds.ts";
import { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import type { RolloutFacts } from "../../../shared/rules/rollout/standstill.ts";
import type { KubeClient } from "../../../shared/runtime/ports.ts";
import { readRollout } from "../../operate/rollout/read-rollout.ts";
import { systemClock } from "../../platform/clock.ts";
import { openServer } from "../management.ts";
import { keyOf } from "../object-arguments.ts";
import { kubeconfigOption } from "../options.ts";

export interface DeploymentOptions {
  readonly namespace?: string;
  readonly kubeconfig?: string;
}

export function addDeploymentArgument(command: Command): Command {
  return command
    .argument("<deployment>", "NAME, NAMESPACE/NAME or machinedeployment/NAME")
    .option("-n, --namespace <name>", "namespace of the MachineDeployment (default: default)")
    .addOption(kubeconfigOption());
}

/** Returns the key of `NAME`, `NAMESPACE/NAME` or `machinedeployment/NAME`. Throws when it is malformed. */
export function deploymentKey(named: string, { namespace }: DeploymentOptions): ObjectKey {
  const [first = "", ...rest] = named.split("/");
  const isKind = rest.length > 0 && kindNames(MachineDeployment).includes(first.toLowerCase());
  const objectName = isKind ? rest.join("/") : named;
  return keyOf(MachineDeployment, { kindName: MachineDeployment.kind, objectName, namespace });
}

/** A deployment on a management cluster. */
export interface OpenedRollout extends Disposable {
  readonly key: ObjectKey;
  readonly client: KubeClient;
  /** Reads it as it is now. Throws when it does not exist. */
  readonly read: () => Promise<RolloutFacts>;
}

export async function openRollout(named: string, options: DeploymentOptions): Promise<OpenedRollout> {
  const key = deploymentKey(named, options);
  const server = await openServer(options.kubeconfig);
  const client = server.as("rollout");
  return {
    key,
    client,
    read: async () => {
      const found = await readRollout(client, key, systemClock.now());
      if (found !== undefined) return found;
      const title = titleOf(MachineDeployment.kind, key);
      throw new Error(`${title} does not exist; kubectl get machinedeployments -A lists them`);
    },
    [Symbol.dispose]: () => server[Symbol.dispose](),
  };
}
