import { load } from "js-yaml";

interface WrittenKubeconfig {
  readonly "current-context": string;
  readonly clusters: readonly [
    {
      readonly name: string;
      readonly cluster: { readonly server: string; readonly "certificate-authority-data": string };
    },
  ];
  readonly users: readonly [{ readonly name: string; readonly user: { readonly token: string } }];
}

/** A kubeconfig that one of our servers has written. */
export function readKubeconfig(text: string): WrittenKubeconfig {
  return load(text) as WrittenKubeconfig;
}
