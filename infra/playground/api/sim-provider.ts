import * as z from "zod";
import { port } from "../../../shared/api/cluster/cluster.ts";
import { conditionsSchema } from "../../../shared/api/conditions.ts";
import type { CrdSpec, Kind, KubeObject, PrinterColumn } from "../../../shared/api/kinds.ts";
import {
  type Immutable,
  notEmpty,
  objectMetaSchema,
  templateMetadataSchema,
  text,
  typeMeta,
} from "../../../shared/api/meta.ts";

/** Parts that the kinds of the simulated provider have in common. */

export const flag = () => z.boolean().optional();
export const count = () => z.int32().min(0).optional();
export const version = () => text(1, 256).describe("Kubernetes version, such as v1.34.0.");
export const clusterName = () =>
  text(1, 63).describe("Name of the Cluster it belongs to, in the same namespace.");
export const endpoint = () =>
  notEmpty({
    host: text(1, 512).optional().describe("Host name or address."),
    port: port().optional().describe("TCP port, 1 to 65535."),
  })
    .optional()
    .describe("Where the workload API server answers.");

/** The latches of a provider object; each is set once. */
export function firstSteps<Latches extends z.ZodRawShape>(latches: Latches) {
  return z.object(latches).optional().describe("First steps that are done.");
}

/** The status of a kind that is ready or not, in the fields of both contracts. */
export function providerStatus<Latches extends z.ZodRawShape, More extends z.ZodRawShape>(
  latches: Latches,
  more: More,
) {
  return z
    .object({
      ...more,
      initialization: firstSteps(latches),
      ready: flag().describe("The same for the contract v1beta1."),
      conditions: conditionsSchema().optional(),
    })
    .optional()
    .describe("State that the provider reports.");
}

export const AGE: PrinterColumn = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

export const CONTRACT_LABEL = { "cluster.x-k8s.io/v1beta2": "v1beta2" } as const;

/**
 * Returns the CRD of a provider kind: the label is how Cluster API finds the version to read it in. The kinds report in
 * the fields of both contracts, so with the label `cluster.x-k8s.io/v1beta1: v1beta2` instead they are a provider of
 * the older.
 */
export function providerCrd(
  printerColumns: readonly PrinterColumn[],
  more: Pick<CrdSpec, "labels" | "scale" | "waived"> = {},
): CrdSpec {
  return {
    categories: ["cluster-api"],
    labels: CONTRACT_LABEL,
    status: true,
    printerColumns: [...printerColumns, AGE],
    ...more,
  };
}

/** Describes a kind's template: `spec.template` has metadata and spec of what is made from it. */
function templateSchema<Spec extends z.ZodType>(spec: Spec, kindName: string) {
  return z
    .object({
      ...typeMeta(),
      metadata: objectMetaSchema(),
      spec: z
        .object({
          template: z
            .object({ metadata: templateMetadataSchema().optional(), spec })
            .describe(`Template of every ${kindName}.`),
        })
        .describe("Desired state."),
    })
    .describe(`Template from which ${kindName}s are made.`);
}

/** A template, by the function that describes the spec of what is made from it. */
export type TemplateOf<Spec extends () => z.ZodType> = Immutable<
  z.infer<ReturnType<typeof templateSchema<ReturnType<Spec>>>>
>;

/** Returns the kind of the template of a kind: it follows the contract of that kind and has no status. */
export function templateOf<Template extends KubeObject>(
  {
    group,
    version,
    kind,
    provider,
    crd: { labels } = providerCrd([]),
  }: Pick<Kind, "group" | "version" | "kind" | "provider" | "crd">,
  spec: () => z.ZodType,
): Kind<Template> {
  const crd: CrdSpec = { ...providerCrd([]), ...(labels === undefined ? {} : { labels }), status: false };
  const plural = `${kind.toLowerCase()}templates`;
  const schema = () => templateSchema(spec(), kind) as unknown as z.ZodType<Template>;
  return { group, version, kind: `${kind}Template`, plural, provider, namespaced: true, schema, crd };
}
