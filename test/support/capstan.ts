import { type ComposeOptions, compose, type Role, type Running } from "../../infra/cli/compose.ts";

/** Relay, functions and simulated cloud in this process, against an API server that is already there. */
export function startCapstan(
  kubeconfig: string,
  options: { readonly roles?: readonly Role[] } & Partial<Omit<ComposeOptions, "roles">> = {},
): Promise<Running> {
  return compose({
    kubeconfig,
    queue: "memory",
    installCrds: true,
    functions: ["*"],
    port: 0,
    writeKubeconfig: "",
    logLevel: "error",
    ...options,
    roles: new Set(options.roles ?? ["cloud", "relay", "worker"]),
  });
}
