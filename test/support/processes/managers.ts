import { type CliProcess, startCli } from "./cli.ts";
import { freePorts } from "./free-ports.ts";
import { kubectlFor } from "./kubectl.ts";

/** A `capstan manager` of its own process. */
export interface ManagerProcess extends CliProcess {
  /** Status of `/livez` or `/readyz`; undefined while it does not answer. */
  probe(path: "/livez" | "/readyz"): Promise<number | undefined>;
}

/** Starts a manager on loopback, with what a Deployment gives to it. */
export async function startManager(
  kubeconfigFile: string,
  ...args: readonly string[]
): Promise<ManagerProcess> {
  const [port = 0] = await freePorts(1);
  const health = ["--health-address", `127.0.0.1:${port}`];
  const manager = startCli(["manager", "--kubeconfig", kubeconfigFile, ...health, ...args], {
    POD_NAMESPACE: "kube-system",
  });
  return Object.assign(manager, {
    probe: (path: string) =>
      fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(2_000) }).then(
        ({ status }) => status,
        () => undefined,
      ),
  });
}

/** The holder of a Lease of managers, empty when it is free. */
export async function holderOf(kubeconfigFile: string, lease: string): Promise<string> {
  const { output } = await kubectlFor(kubeconfigFile, "kube-system").try(
    `get lease ${lease} -o jsonpath={.spec.holderIdentity}`,
  );
  return output;
}
