import type { Kind, KubeObject } from "../../shared/api/kinds.ts";
import { toStructural } from "./structural.ts";

/** A complete CustomResourceDefinition, schemas included. */
export interface CrdObject extends KubeObject {
  readonly spec: object;
}

/** `--install-crds` replaces only CRDs that carry this label. */
const MANAGED_BY = { "app.kubernetes.io/managed-by": "capstan" };

/**
 * Returns the CRD of a kind of ours; `undefined` for kinds that are built into the API server or never stored
 * in one.
 */
export function toCrd({
  group,
  version,
  kind,
  plural,
  namespaced,
  schema,
  crd,
}: Kind): CrdObject | undefined {
  if (crd === undefined || schema === undefined) return undefined;
  const subresources = {
    ...(crd.scale === undefined ? {} : { scale: crd.scale }),
    ...(crd.status ? { status: {} } : {}),
  };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}`, labels: { ...MANAGED_BY, ...crd.labels } },
    spec: {
      group,
      names: {
        kind,
        listKind: crd.listKind ?? `${kind}List`,
        plural,
        singular: crd.singular ?? kind.toLowerCase(),
        ...(crd.shortNames === undefined ? {} : { shortNames: crd.shortNames }),
        ...(crd.categories === undefined ? {} : { categories: crd.categories }),
      },
      scope: namespaced ? "Namespaced" : "Cluster",
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          ...(crd.printerColumns === undefined ? {} : { additionalPrinterColumns: crd.printerColumns }),
          schema: { openAPIV3Schema: toStructural(schema, crd.requiresMetadata) },
          subresources,
        },
      ],
    },
  };
}
