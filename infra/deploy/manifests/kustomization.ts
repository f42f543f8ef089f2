import type { Manifest } from "../deployment.ts";

/** Objects by the name of their file, without `.yaml`. */
interface Files {
  readonly [file: string]: readonly Manifest[];
}

/** A folder of kustomize. */
export interface Folder {
  readonly kind: "Kustomization" | "Component";
  readonly files: Files;
  /** Other folders, by their path from this one. */
  readonly resources?: readonly string[];
  readonly components?: readonly string[];
  readonly patches?: readonly Patch[];
}

/** One patch of all objects that `target` chooses, also of none. */
interface Patch {
  readonly target: {
    readonly kind: string;
    /** Regular expressions of kustomize, anchored. */
    readonly name?: string;
    readonly labelSelector?: string;
  };
  readonly patch: string;
}

export const API_VERSIONS = {
  Kustomization: "kustomize.config.k8s.io/v1beta1",
  Component: "kustomize.config.k8s.io/v1alpha1",
} as const;

/** Returns the kustomization.yaml of a folder. */
export function kustomizationOf({ kind, files, resources = [], components, patches }: Folder): object {
  const own = Object.keys(files).map((file) => `${file}.yaml`);
  return {
    apiVersion: API_VERSIONS[kind],
    kind,
    ...(own.length + resources.length > 0 && { resources: [...resources, ...own] }),
    ...(components && { components }),
    ...(patches && { patches }),
  };
}

/** Deletes what the target chooses. */
export function without(apiVersion: string, target: Patch["target"]): Patch {
  const { kind } = target;
  return {
    target,
    patch: `${JSON.stringify({ $patch: "delete", apiVersion, kind, metadata: { name: "any" } })}\n`,
  };
}
