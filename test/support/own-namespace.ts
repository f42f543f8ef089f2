import { type Kubectl, kubectlFor } from "./processes/kubectl.ts";

export interface OwnNamespace {
  /** In this namespace. */
  readonly kubectl: Kubectl;
  /** Applies a manifest of test/support in this namespace. */
  apply(manifest: string): Promise<string>;
}

/** Creates a namespace for one test: tests in namespaces of their own share an API server and a Capstan. */
export async function ownNamespace(kubeconfigFile: string, name: string): Promise<OwnNamespace> {
  const kubectl = kubectlFor(kubeconfigFile, name);
  await kubectl(`create namespace ${name}`);
  return { kubectl, apply: (manifest) => kubectl("apply -f -", anywhere(manifest)) };
}

/** A manifest of test/support for the namespace that kubectl names. */
export function anywhere(manifest: string): string {
  return manifest.replaceAll(", namespace: default", "");
}
