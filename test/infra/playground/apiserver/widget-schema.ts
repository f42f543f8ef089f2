import type { Schema } from "../../../../infra/playground/apiserver/schema/schema.ts";

const text: Schema = { type: "string" };

/** The widget of the recorded vectors, with a few fields more to show every kind of node. */
export const WIDGET_SCHEMA: Schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        size: { type: "integer", maximum: 100 },
        color: text,
        mode: { type: "string", default: "Auto" },
        nested: { type: "object", properties: { a: text, b: text } },
        labels: { type: "object", additionalProperties: text },
        atomicList: { type: "array", items: text },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        set: { type: "array", "x-kubernetes-list-type": "set", items: text },
        items: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
          items: {
            type: "object",
            required: ["name"],
            properties: {
              name: text,
              value: text,
              tags: { type: "array", "x-kubernetes-list-type": "set", items: text },
            },
          },
        },
        ports: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["port", "protocol"],
          items: {
            type: "object",
            required: ["port"],
            properties: { port: { type: "integer" }, protocol: { type: "string", default: "TCP" } },
          },
        },
      },
    },
    status: {
      type: "object",
      properties: {
        phase: text,
        replicas: { type: "integer" },
        conditions: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["type"],
          items: {
            type: "object",
            required: ["type"],
            properties: { type: text, status: text, reason: text },
          },
        },
      },
    },
  },
};
