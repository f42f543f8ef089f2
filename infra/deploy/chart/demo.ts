import { objectsOf } from "../components.ts";
import type { Manifest } from "../deployment.ts";
import { fromAnywhere } from "../manifests/network.ts";
import { NAMESPACE } from "../manifests/processes.ts";
import type { Provider } from "../providers.ts";

/** Returns the objects of a provider without its Namespace, beside those of Capstan, with the defaults of its variables. */
export async function demoObjects(provider: Provider): Promise<readonly Manifest[]> {
  const { namespace } = provider;
  const objects = (await objectsOf(provider, "")).filter(({ kind }) => kind !== "Namespace");
  const policies = objects
    .filter(({ kind }) => kind === "Deployment")
    .map(({ metadata }) => openPolicy(metadata.name));
  const text = JSON.stringify([...objects, ...policies])
    .replaceAll(/\$\{\w+(?::=(\\"\\"|[^}]*)|:0:0)\}/g, (_, otherwise = "") => otherwise.replaceAll('\\"', ""))
    .replaceAll(/"replicas":"(\d+)"/g, '"replicas":$1')
    .replaceAll(`"namespace":"${namespace}"`, `"namespace":"${NAMESPACE}"`);
  return JSON.parse(text);
}

/** Lets a Pod of the simulated cloud reach all, and be reached: each workload server has a port of its own. */
function openPolicy(name: string): Manifest {
  const { spec, ...policy } = fromAnywhere(name, 0);
  return {
    ...policy,
    spec: { ...(spec as object), policyTypes: ["Ingress", "Egress"], ingress: [{}], egress: [{}] },
  };
}
