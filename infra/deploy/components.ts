import { toCrd } from "../platform/crds/crd.ts";
import { writeYaml } from "../platform/yaml/write-yaml.ts";
import { loadFunctions } from "../worker/load.ts";
import { managerAccount } from "./accounts.ts";
import { type Manifest, managerDeployment } from "./deployment.ts";
import type { Provider } from "./providers.ts";

/** Returns the components of a provider, as one YAML file. `image` has its tag, maybe its digest. */
export async function componentsOf(provider: Provider, image: string): Promise<string> {
  const { namespace, beside } = provider;
  const functions = await loadFunctions([provider.label]);
  const objects: readonly Manifest[] = [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    ...crdsOf(provider),
    ...managerAccount(provider, functions),
    ...(beside?.account ?? []),
    managerDeployment(provider, image),
    ...(beside === undefined ? [] : [beside.deployment(image)]),
  ];
  return yamlOf(objects.map((object) => labelled(object, provider)));
}

/** Returns objects as the documents of one YAML file. */
export function yamlOf(objects: readonly Manifest[]): string {
  return objects.map((object) => writeYaml(object)).join("---\n");
}

function crdsOf({ kinds }: Provider): readonly Manifest[] {
  return kinds.flatMap((kind) => {
    const crd = toCrd(kind);
    return crd === undefined ? [] : [{ ...crd }];
  });
}

function labelled(object: Manifest, { label }: Provider): Manifest {
  const { labels, ...metadata } = object.metadata;
  return {
    ...object,
    metadata: { ...metadata, labels: { ...labels, "cluster.x-k8s.io/provider": label } },
  };
}
