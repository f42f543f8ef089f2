import { compose, type Running } from "../../infra/cli/compose.ts";
import type { ComposeOptions, Role } from "../../infra/cli/compose-options.ts";
import { actAsAccounts, grantAccounts } from "./derived-accounts.ts";
import { enforcesRights } from "./processes/api-servers.ts";

/**
 * Relay, functions and simulated cloud in this process, against an API server that is already there. On a real one each
 * function acts under the account of a deployment that runs it, and the end fails when one of them was refused anything.
 * Its dead letters lie beside the kubeconfig: a home folder keeps those of tests that were killed.
 */
export async function startCapstan(
  kubeconfig: string,
  options: { readonly roles?: readonly Role[] } & Partial<Omit<ComposeOptions, "roles">> = {},
): Promise<Running> {
  const acting = enforcesRights(kubeconfig) ? await actAsAccounts() : undefined;
  if (acting !== undefined) await grantAccounts(kubeconfig);
  const running = await compose({
    kubeconfig,
    queue: "memory",
    installCrds: true,
    functions: ["*"],
    port: 0,
    writeKubeconfig: "",
    logLevel: "error",
    ...(options.queue === undefined && { deadLetters: `${kubeconfig}.letters` }),
    ...(acting && { connectManagement: acting.connect }),
    ...options,
    roles: new Set(options.roles ?? ["cloud", "relay", "worker"]),
  });
  return {
    ...running,
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      acting?.refuseMissingRights();
    },
  };
}
