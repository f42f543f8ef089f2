const text = { type: "string" };

const item = {
  type: "object",
  required: ["name"],
  properties: {
    name: text,
    value: text,
    tags: { type: "array", "x-kubernetes-list-type": "set", items: text },
  },
};

const condition = {
  type: "object",
  required: ["type"],
  properties: { type: text, status: text, reason: text },
};

const spec = {
  type: "object",
  description: "Desired state.",
  properties: {
    size: { type: "integer", maximum: 100, description: "How large." },
    color: { type: "string", enum: ["red", "green", "blue"] },
    mode: { type: "string", default: "Auto" },
    nested: { type: "object", properties: { a: text, b: text } },
    labels: { type: "object", additionalProperties: text },
    atomicList: { type: "array", items: text },
    items: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: item,
    },
  },
};

const status = {
  type: "object",
  properties: {
    phase: text,
    replicas: { type: "integer" },
    conditions: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["type"],
      items: condition,
    },
  },
};

/** The kind of the recorded vectors, with a scale subresource and columns. */
export const WIDGETS = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.test.capstan.dev" },
  spec: {
    group: "test.capstan.dev",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget", shortNames: ["wd"], categories: ["all"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.replicas" },
        },
        additionalPrinterColumns: [
          { name: "Size", type: "integer", jsonPath: ".spec.size" },
          { name: "Phase", type: "string", jsonPath: ".status.phase" },
          { name: "Color", type: "string", jsonPath: ".spec.color", priority: 1 },
          { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
        ],
        schema: {
          openAPIV3Schema: { type: "object", description: "A widget.", properties: { spec, status } },
        },
      },
    ],
  },
};
