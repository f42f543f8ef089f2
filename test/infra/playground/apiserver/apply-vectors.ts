import type { JsonObject } from "../../../../infra/playground/apiserver/objects/json.ts";

/** One request of a vector and the world after it. */
interface Step {
  readonly verb: "apply" | "merge";
  readonly manager: string;
  readonly subresource?: "status";
  readonly force?: boolean;
  readonly body: JsonObject;
  /** The message of the 409; absent when the request succeeds. */
  readonly conflict?: string;
  readonly object: JsonObject;
  /** FieldsV1 by manager/operation[/subresource]. */
  readonly entries: JsonObject;
}

interface Vector {
  readonly name: string;
  readonly steps: readonly Step[];
}

/** Vectors of server-side apply, recorded from a Kubernetes 1.32.3 API server. */
export const APPLY_VECTORS: readonly Vector[] = [
  {
    name: "1: create, change, drop",
    steps: [
      {
        verb: "apply",
        manager: "fn-a",
        body: { spec: { color: "green", nested: { a: "one", b: "two" } } },
        object: { spec: { color: "green", mode: "Auto", nested: { a: "one", b: "two" } } },
        entries: { "fn-a/Apply": { "f:spec": { "f:color": {}, "f:nested": { "f:a": {}, "f:b": {} } } } },
      },
      {
        verb: "apply",
        manager: "fn-a",
        body: { spec: { color: "blue", nested: { b: "two" } } },
        object: { spec: { color: "blue", mode: "Auto", nested: { b: "two" } } },
        entries: { "fn-a/Apply": { "f:spec": { "f:color": {}, "f:nested": { "f:b": {} } } } },
      },
    ],
  },
  {
    name: "2: conflict, then force",
    steps: [
      {
        verb: "apply",
        manager: "fn-a",
        body: { spec: { nested: { a: "one", b: "two" } } },
        object: { spec: { mode: "Auto", nested: { a: "one", b: "two" } } },
        entries: { "fn-a/Apply": { "f:spec": { "f:nested": { "f:a": {}, "f:b": {} } } } },
      },
      {
        verb: "apply",
        manager: "fn-b",
        body: { spec: { nested: { b: "three" } } },
        conflict: 'Apply failed with 1 conflict: conflict with "fn-a": .spec.nested.b',
        object: { spec: { mode: "Auto", nested: { a: "one", b: "two" } } },
        entries: { "fn-a/Apply": { "f:spec": { "f:nested": { "f:a": {}, "f:b": {} } } } },
      },
      {
        verb: "apply",
        manager: "fn-b",
        force: true,
        body: { spec: { nested: { b: "three" } } },
        object: { spec: { mode: "Auto", nested: { a: "one", b: "three" } } },
        entries: {
          "fn-a/Apply": { "f:spec": { "f:nested": { "f:a": {} } } },
          "fn-b/Apply": { "f:spec": { "f:nested": { "f:b": {} } } },
        },
      },
    ],
  },
  {
    name: "3: shared leaf, then released by both",
    steps: [
      {
        verb: "apply",
        manager: "fn-a",
        body: { spec: { labels: { k: "v" } } },
        object: { spec: { labels: { k: "v" }, mode: "Auto" } },
        entries: { "fn-a/Apply": { "f:spec": { "f:labels": { "f:k": {} } } } },
      },
      {
        verb: "apply",
        manager: "fn-b",
        body: { spec: { labels: { k: "v", m: "w" } } },
        object: { spec: { labels: { k: "v", m: "w" }, mode: "Auto" } },
        entries: {
          "fn-a/Apply": { "f:spec": { "f:labels": { "f:k": {} } } },
          "fn-b/Apply": { "f:spec": { "f:labels": { "f:k": {}, "f:m": {} } } },
        },
      },
      {
        verb: "apply",
        manager: "fn-a",
        body: { spec: {} },
        object: { spec: { labels: { k: "v", m: "w" }, mode: "Auto" } },
        entries: {
          "fn-a/Apply": { "f:spec": {} },
          "fn-b/Apply": { "f:spec": { "f:labels": { "f:k": {}, "f:m": {} } } },
        },
      },
      {
        verb: "apply",
        manager: "fn-b",
        body: { spec: { labels: { m: "w" } } },
        object: { spec: { labels: { m: "w" }, mode: "Auto" } },
        entries: {
          "fn-a/Apply": { "f:spec": {} },
          "fn-b/Apply": { "f:spec": { "f:labels": { "f:m": {} } } },
        },
      },
    ],
  },
  {
    name: "4: conditions: one owner per type",
    steps: [
      {
        verb: "apply",
        manager: "fn-a",
        body: { spec: { size: 3 } },
        object: { spec: { mode: "Auto", size: 3 } },
        entries: { "fn-a/Apply": { "f:spec": { "f:size": {} } } },
      },
      {
        verb: "apply",
        manager: "fn-a",
        subresource: "status",
        body: { status: { conditions: [{ type: "Ready", status: "True", reason: "Up" }] } },
        object: {
          spec: { mode: "Auto", size: 3 },
          status: { conditions: [{ reason: "Up", status: "True", type: "Ready" }] },
        },
        entries: {
          "fn-a/Apply": { "f:spec": { "f:size": {} } },
          "fn-a/Apply/status": {
            "f:status": {
              "f:conditions": {
                'k:{"type":"Ready"}': { ".": {}, "f:reason": {}, "f:status": {}, "f:type": {} },
              },
            },
          },
        },
      },
      {
        verb: "apply",
        manager: "fn-b",
        subresource: "status",
        body: { status: { conditions: [{ type: "Healthy", status: "Unknown", reason: "Wait" }] } },
        object: {
          spec: { mode: "Auto", size: 3 },
          status: {
            conditions: [
              { reason: "Up", status: "True", type: "Ready" },
              { reason: "Wait", status: "Unknown", type: "Healthy" },
            ],
          },
        },
        entries: {
          "fn-a/Apply": { "f:spec": { "f:size": {} } },
          "fn-a/Apply/status": {
            "f:status": {
              "f:conditions": {
                'k:{"type":"Ready"}': { ".": {}, "f:reason": {}, "f:status": {}, "f:type": {} },
              },
            },
          },
          "fn-b/Apply/status": {
            "f:status": {
              "f:conditions": {
                'k:{"type":"Healthy"}': { ".": {}, "f:reason": {}, "f:status": {}, "f:type": {} },
              },
            },
          },
        },
      },
      {
        verb: "apply",
        manager: "fn-a",
        subresource: "status",
        body: { status: { conditions: [] } },
        object: {
          spec: { mode: "Auto", size: 3 },
          status: { conditions: [{ reason: "Wait", status: "Unknown", type: "Healthy" }] },
        },
        entries: {
          "fn-a/Apply": { "f:spec": { "f:size": {} } },
          "fn-b/Apply/status": {
            "f:status": {
              "f:conditions": {
                'k:{"type":"Healthy"}': { ".": {}, "f:reason": {}, "f:status": {}, "f:type": {} },
              },
            },
          },
        },
      },
    ],
  },
  {
    name: "5: set members",
    steps: [
      {
        verb: "apply",
        manager: "fn-a",
        body: { spec: { items: [{ name: "i", tags: ["p", "q"] }] } },
        object: { spec: { items: [{ name: "i", tags: ["p", "q"] }], mode: "Auto" } },
        entries: {
          "fn-a/Apply": {
            "f:spec": {
              "f:items": {
                'k:{"name":"i"}': { ".": {}, "f:name": {}, "f:tags": { 'v:"p"': {}, 'v:"q"': {} } },
              },
            },
          },
        },
      },
      {
        verb: "apply",
        manager: "fn-b",
        body: { spec: { items: [{ name: "i", tags: ["r"] }] } },
        object: { spec: { items: [{ name: "i", tags: ["p", "q", "r"] }], mode: "Auto" } },
        entries: {
          "fn-a/Apply": {
            "f:spec": {
              "f:items": {
                'k:{"name":"i"}': { ".": {}, "f:name": {}, "f:tags": { 'v:"p"': {}, 'v:"q"': {} } },
              },
            },
          },
          "fn-b/Apply": {
            "f:spec": {
              "f:items": { 'k:{"name":"i"}': { ".": {}, "f:name": {}, "f:tags": { 'v:"r"': {} } } },
            },
          },
        },
      },
      {
        verb: "apply",
        manager: "fn-a",
        body: { spec: { items: [{ name: "i", tags: ["q"] }] } },
        object: { spec: { items: [{ name: "i", tags: ["q", "r"] }], mode: "Auto" } },
        entries: {
          "fn-a/Apply": {
            "f:spec": {
              "f:items": { 'k:{"name":"i"}': { ".": {}, "f:name": {}, "f:tags": { 'v:"q"': {} } } },
            },
          },
          "fn-b/Apply": {
            "f:spec": {
              "f:items": { 'k:{"name":"i"}': { ".": {}, "f:name": {}, "f:tags": { 'v:"r"': {} } } },
            },
          },
        },
      },
    ],
  },
  {
    name: "6: merge patch takes over a leaf",
    steps: [
      {
        verb: "apply",
        manager: "fn-a",
        body: { spec: { size: 4, color: "red" } },
        object: { spec: { color: "red", mode: "Auto", size: 4 } },
        entries: { "fn-a/Apply": { "f:spec": { "f:color": {}, "f:size": {} } } },
      },
      {
        verb: "merge",
        manager: "human",
        body: { spec: { size: 6 } },
        object: { spec: { color: "red", mode: "Auto", size: 6 } },
        entries: {
          "fn-a/Apply": { "f:spec": { "f:color": {} } },
          "human/Update": { "f:spec": { "f:size": {} } },
        },
      },
      {
        verb: "apply",
        manager: "fn-a",
        body: { spec: { size: 4, color: "red" } },
        conflict: 'Apply failed with 1 conflict: conflict with "human" using test.capstan.dev/v1: .spec.size',
        object: { spec: { color: "red", mode: "Auto", size: 6 } },
        entries: {
          "fn-a/Apply": { "f:spec": { "f:color": {} } },
          "human/Update": { "f:spec": { "f:size": {} } },
        },
      },
      {
        verb: "apply",
        manager: "fn-a",
        body: { spec: { color: "red" } },
        object: { spec: { color: "red", mode: "Auto", size: 6 } },
        entries: {
          "fn-a/Apply": { "f:spec": { "f:color": {} } },
          "human/Update": { "f:spec": { "f:size": {} } },
        },
      },
    ],
  },
  {
    name: "7: atomic list replaced as a whole",
    steps: [
      {
        verb: "apply",
        manager: "fn-a",
        body: { spec: { atomicList: ["m"] } },
        object: { spec: { atomicList: ["m"], mode: "Auto" } },
        entries: { "fn-a/Apply": { "f:spec": { "f:atomicList": {} } } },
      },
      {
        verb: "apply",
        manager: "fn-b",
        body: { spec: { atomicList: ["m", "n"] } },
        conflict: 'Apply failed with 1 conflict: conflict with "fn-a": .spec.atomicList',
        object: { spec: { atomicList: ["m"], mode: "Auto" } },
        entries: { "fn-a/Apply": { "f:spec": { "f:atomicList": {} } } },
      },
      {
        verb: "apply",
        manager: "fn-b",
        force: true,
        body: { spec: { atomicList: ["m", "n"] } },
        object: { spec: { atomicList: ["m", "n"], mode: "Auto" } },
        entries: { "fn-b/Apply": { "f:spec": { "f:atomicList": {} } } },
      },
      {
        verb: "apply",
        manager: "fn-a",
        body: { spec: {} },
        object: { spec: { atomicList: ["m", "n"], mode: "Auto" } },
        entries: { "fn-a/Apply": { "f:spec": {} }, "fn-b/Apply": { "f:spec": { "f:atomicList": {} } } },
      },
    ],
  },
  {
    name: "8: main endpoint ignores status, status endpoint ignores spec",
    steps: [
      {
        verb: "apply",
        manager: "fn-a",
        body: { spec: { size: 2 }, status: { phase: "x" } },
        object: { spec: { mode: "Auto", size: 2 } },
        entries: { "fn-a/Apply": { "f:spec": { "f:size": {} } } },
      },
      {
        verb: "apply",
        manager: "fn-a",
        subresource: "status",
        body: { spec: { size: 8 }, status: { phase: "Ready" } },
        object: { spec: { mode: "Auto", size: 2 }, status: { phase: "Ready" } },
        entries: {
          "fn-a/Apply": { "f:spec": { "f:size": {} } },
          "fn-a/Apply/status": { "f:status": { "f:phase": {} } },
        },
      },
      {
        verb: "apply",
        manager: "fn-a",
        subresource: "status",
        body: { status: { phase: "Ready", replicas: 2 } },
        object: { spec: { mode: "Auto", size: 2 }, status: { phase: "Ready", replicas: 2 } },
        entries: {
          "fn-a/Apply": { "f:spec": { "f:size": {} } },
          "fn-a/Apply/status": { "f:status": { "f:phase": {}, "f:replicas": {} } },
        },
      },
    ],
  },
];
