// biome-ignore lint/suspicious/noExplicitAny: objects as a webhook sees them
type Body = any;

export const PAINTS_GROUP = "art.capstan.dev";
export const PAINTS_CRD = `paints.${PAINTS_GROUP}`;

/** Path of the collection in the namespace default. */
export function paintsPath(version: "v1" | "v2"): string {
  return `/apis/${PAINTS_GROUP}/${version}/namespaces/default/paints`;
}

/** A kind that is stored as v1; what is `spec.color` there is `spec.colour` in v2. */
export function paints(conversion: Body): Body {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: PAINTS_CRD },
    spec: {
      group: PAINTS_GROUP,
      scope: "Namespaced",
      names: { plural: "paints", kind: "Paint" },
      conversion,
      versions: [paintVersion("v1", "color"), paintVersion("v2", "colour")],
    },
  };
}

function paintVersion(name: string, color: string): Body {
  const properties = {
    [color]: { type: "string" },
    size: { type: "integer" },
    mode: { type: "string", default: "Auto" },
  };
  const spec = { type: "object", properties };
  const status = { type: "object", properties: { phase: { type: "string" } } };
  return {
    name,
    served: true,
    storage: name === "v1",
    schema: { openAPIV3Schema: { type: "object", properties: { spec, status } } },
    subresources: { status: {} },
  };
}

/** Converts a Paint to the other version, as a webhook. */
export function repaint(object: Body, apiVersion: string): Body {
  const [from, to] = apiVersion.endsWith("/v2") ? ["color", "colour"] : ["colour", "color"];
  const { [from]: value, ...spec } = object.spec ?? {};
  return { ...object, apiVersion, spec: value === undefined ? spec : { ...spec, [to]: value } };
}

export function paint(name: string, version: "v1" | "v2", spec: Body): Body {
  return { apiVersion: `${PAINTS_GROUP}/${version}`, kind: "Paint", metadata: { name }, spec };
}
