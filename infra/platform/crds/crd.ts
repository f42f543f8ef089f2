import { CLUSTER_GROUP, type Kind, type KubeObject } from "../../../shared/api/kinds.ts";
import { olderColumns, olderSchema } from "../../../shared/api/older/schema.ts";
import { OLDER } from "../../../shared/api/older/table.ts";
import { KINDS } from "../../../shared/api/registry.ts";
import { type Structural, toStructural } from "../../../shared/api/structural.ts";
import { WAIVE_ANNOTATION } from "../../../shared/contract/waive-annotation.ts";
import { providerOf } from "../../../shared/function/providers.ts";

/** A complete CustomResourceDefinition, schemas included. */
export interface CrdObject extends KubeObject {
  readonly spec: object;
}

/**
 * `--install-crds` replaces only CRDs that carry the first label. clusterctl moves objects of kinds that carry the
 * second, and deletes by the third: as if it had installed them.
 */
function labelsOf(kind: Kind): { readonly [key: string]: string } {
  return {
    "app.kubernetes.io/managed-by": "capstan",
    "clusterctl.cluster.x-k8s.io": "",
    "cluster.x-k8s.io/provider": providerOf(kind),
    ...(kind.group === CLUSTER_GROUP ? CORE_CONTRACT : {}),
  };
}

/** Controllers of others find the version of core's kinds by it, as with Cluster API. */
const CORE_CONTRACT = { "cluster.x-k8s.io/v1beta2": "v1beta2" };

/** Writes them as `capstan contract check` reads them. */
function textOf(waived: { readonly [rule: string]: string }): string {
  return Object.entries(waived)
    .map(([rule, reason]) => `${rule}=${reason}`)
    .join("; ");
}

/** Where conversions are asked for: a Service, or a URL; `caBundle` in base64. */
export type ConversionClient =
  | { readonly service: object; readonly caBundle?: string }
  | { readonly url: string; readonly caBundle?: string };

/** Returns the older versions of a kind, as they are served with a conversion webhook. */
function olderVersions({ group, version, kind, crd }: Kind, schema: Structural): readonly object[] {
  return Object.entries(OLDER.get(`${group}/${kind}`) ?? {}).map(([name, older]) => {
    const columns = olderColumns(crd?.printerColumns ?? [], older);
    return {
      name,
      served: true,
      storage: false,
      ...(older.isCurrent
        ? {}
        : {
            deprecated: true,
            deprecationWarning: `${group}/${name} ${kind} is deprecated; use ${group}/${version}`,
          }),
      ...(columns.length === 0 ? {} : { additionalPrinterColumns: columns }),
      schema: { openAPIV3Schema: olderSchema(schema, older) },
      subresources: subresourcesOf(crd),
    };
  });
}

function subresourcesOf(crd: Kind["crd"]): object {
  return {
    ...(crd?.scale === undefined ? {} : { scale: crd.scale }),
    ...(crd?.status ? { status: {} } : {}),
  };
}

/**
 * Returns the CRD of a kind of ours, with its older versions where `converting` says who converts them; `undefined` for kinds that are built into the API server or never stored in one.
 */
export function toCrd(of: Kind, converting?: ConversionClient): CrdObject | undefined {
  const { group, version, kind, plural, namespaced, schema, crd } = of;
  if (crd === undefined || schema === undefined) return undefined;
  const structural = toStructural(schema(), crd.requiresMetadata);
  const older = converting === undefined ? [] : olderVersions(of, structural);
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `${plural}.${group}`,
      labels: { ...labelsOf(of), ...crd.labels },
      ...(crd.waived === undefined ? {} : { annotations: { [WAIVE_ANNOTATION]: textOf(crd.waived) } }),
    },
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
      ...(older.length === 0
        ? {}
        : {
            conversion: {
              strategy: "Webhook",
              webhook: { clientConfig: converting, conversionReviewVersions: ["v1"] },
            },
          }),
      scope: namespaced ? "Namespaced" : "Cluster",
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          ...(crd.printerColumns === undefined ? {} : { additionalPrinterColumns: crd.printerColumns }),
          schema: { openAPIV3Schema: structural },
          subresources: subresourcesOf(crd),
        },
        ...older,
      ],
    },
  };
}

/**
 * Returns the CRDs of kinds, those of the core by default, as `generated/` holds them, in their order, with older versions
 * where `converting` says who converts them. They are built from the schemas, which are loaded anyway, in a fifth of the
 * time of parsing the YAML; a test proves that both are the same.
 */
export async function loadCrds(
  kinds: readonly Kind[] = KINDS,
  converting?: ConversionClient,
): Promise<readonly KubeObject[]> {
  const { toCrd } = await import("./crd.ts");
  return kinds.flatMap((kind) => toCrd(kind, converting) ?? []);
}
