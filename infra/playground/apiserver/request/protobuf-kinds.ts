/*
 * Messages of the kinds that kubectl sends as protobuf.
 * Source: generated.proto of k8s.io/api and k8s.io/apimachinery v0.34.
 */

/** How a field is written; `strings` and the maps arrive item by item. */
export type FieldType =
  | "string"
  | "bool"
  | "int"
  | "bytes"
  | "time"
  | "intOrString"
  | "textMap"
  | "bytesMap"
  | "strings"
  | Message;

/** Fields by number: the name in JSON and the type; `list` for repeated messages. */
export interface Message {
  readonly [number: number]:
    | readonly [name: string, type: FieldType]
    | readonly [name: string, type: Message, "list"];
}

const OWNER_REFERENCE: Message = {
  1: ["kind", "string"],
  3: ["name", "string"],
  4: ["uid", "string"],
  5: ["apiVersion", "string"],
  6: ["controller", "bool"],
  7: ["blockOwnerDeletion", "bool"],
};

const OBJECT_META: Message = {
  1: ["name", "string"],
  2: ["generateName", "string"],
  3: ["namespace", "string"],
  4: ["selfLink", "string"],
  5: ["uid", "string"],
  6: ["resourceVersion", "string"],
  7: ["generation", "int"],
  8: ["creationTimestamp", "time"],
  9: ["deletionTimestamp", "time"],
  10: ["deletionGracePeriodSeconds", "int"],
  11: ["labels", "textMap"],
  12: ["annotations", "textMap"],
  13: ["ownerReferences", OWNER_REFERENCE, "list"],
  14: ["finalizers", "strings"],
};

const RESOURCE_ATTRIBUTES: Message = {
  1: ["namespace", "string"],
  2: ["verb", "string"],
  3: ["group", "string"],
  4: ["version", "string"],
  5: ["resource", "string"],
  6: ["subresource", "string"],
  7: ["name", "string"],
};

const NON_RESOURCE_ATTRIBUTES: Message = { 1: ["path", "string"], 2: ["verb", "string"] };

const PRECONDITIONS: Message = { 1: ["uid", "string"], 2: ["resourceVersion", "string"] };

const DELETE_OPTIONS: Message = {
  1: ["gracePeriodSeconds", "int"],
  2: ["preconditions", PRECONDITIONS],
  3: ["orphanDependents", "bool"],
  4: ["propagationPolicy", "string"],
  5: ["dryRun", "strings"],
};

const LABEL_SELECTOR: Message = {
  1: ["matchLabels", "textMap"],
  2: [
    "matchExpressions",
    { 1: ["key", "string"], 2: ["operator", "string"], 3: ["values", "strings"] },
    "list",
  ],
};

const POLICY_RULE: Message = {
  1: ["verbs", "strings"],
  2: ["apiGroups", "strings"],
  3: ["resources", "strings"],
  4: ["resourceNames", "strings"],
  5: ["nonResourceURLs", "strings"],
};

const SUBJECT: Message = {
  1: ["kind", "string"],
  2: ["apiGroup", "string"],
  3: ["name", "string"],
  4: ["namespace", "string"],
};

const ROLE: Message = { 1: ["metadata", OBJECT_META], 2: ["rules", POLICY_RULE, "list"] };

const BINDING: Message = {
  1: ["metadata", OBJECT_META],
  2: ["subjects", SUBJECT, "list"],
  3: ["roleRef", { 1: ["apiGroup", "string"], 2: ["kind", "string"], 3: ["name", "string"] }],
};

/** The messages by `apiVersion/kind`: what kubectl's own commands create. */
export const PROTOBUF_KINDS: Readonly<Record<string, Message>> = {
  "v1/Namespace": { 1: ["metadata", OBJECT_META], 2: ["spec", { 1: ["finalizers", "strings"] }] },
  "v1/Secret": {
    1: ["metadata", OBJECT_META],
    2: ["data", "bytesMap"],
    3: ["type", "string"],
    4: ["stringData", "textMap"],
    5: ["immutable", "bool"],
  },
  "v1/ConfigMap": {
    1: ["metadata", OBJECT_META],
    2: ["data", "textMap"],
    3: ["binaryData", "bytesMap"],
    4: ["immutable", "bool"],
  },
  "v1/ServiceAccount": { 1: ["metadata", OBJECT_META] },
  "authorization.k8s.io/v1/SelfSubjectAccessReview": {
    1: ["metadata", OBJECT_META],
    2: [
      "spec",
      {
        1: ["resourceAttributes", RESOURCE_ATTRIBUTES],
        2: ["nonResourceAttributes", NON_RESOURCE_ATTRIBUTES],
      },
    ],
  },
  "authentication.k8s.io/v1/SelfSubjectReview": { 1: ["metadata", OBJECT_META] },
  "rbac.authorization.k8s.io/v1/Role": ROLE,
  "rbac.authorization.k8s.io/v1/ClusterRole": ROLE,
  "rbac.authorization.k8s.io/v1/RoleBinding": BINDING,
  "rbac.authorization.k8s.io/v1/ClusterRoleBinding": BINDING,
  "policy/v1/PodDisruptionBudget": {
    1: ["metadata", OBJECT_META],
    2: [
      "spec",
      {
        1: ["minAvailable", "intOrString"],
        2: ["selector", LABEL_SELECTOR],
        3: ["maxUnavailable", "intOrString"],
        4: ["unhealthyPodEvictionPolicy", "string"],
      },
    ],
  },
  "policy/v1/Eviction": { 1: ["metadata", OBJECT_META], 2: ["deleteOptions", DELETE_OPTIONS] },
  "v1/DeleteOptions": DELETE_OPTIONS,
  "meta.k8s.io/v1/DeleteOptions": DELETE_OPTIONS,
};
