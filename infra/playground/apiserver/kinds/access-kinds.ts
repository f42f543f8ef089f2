import { CORE_COLUMNS } from "./core-columns.ts";
import { CORE_SCHEMAS, core } from "./core-schemas.ts";
import type { ResourceType } from "./registry.ts";

const CREATE_ONLY = ["create"];

const RBAC = { group: "rbac.authorization.k8s.io", nameForm: "path", createsOnUpdate: true } as const;
const REVIEW = {
  group: "authorization.k8s.io",
  namespaced: false,
  verbs: CREATE_ONLY,
  schema: CORE_SCHEMAS.AccessReview,
} as const;

/** Who may do what: roles, which are stored and not enforced, and reviews, which are answered. */
export const ACCESS_KINDS: readonly ResourceType[] = [
  core({
    ...RBAC,
    kind: "Role",
    plural: "roles",
    schema: CORE_SCHEMAS.Role,
    columns: CORE_COLUMNS.CreatedAt,
  }),
  core({
    ...RBAC,
    kind: "ClusterRole",
    plural: "clusterroles",
    namespaced: false,
    schema: CORE_SCHEMAS.ClusterRole,
    columns: CORE_COLUMNS.CreatedAt,
  }),
  core({
    ...RBAC,
    kind: "RoleBinding",
    plural: "rolebindings",
    schema: CORE_SCHEMAS.RoleBinding,
  }),
  core({
    ...RBAC,
    kind: "ClusterRoleBinding",
    plural: "clusterrolebindings",
    namespaced: false,
    schema: CORE_SCHEMAS.ClusterRoleBinding,
  }),
  core({
    ...REVIEW,
    kind: "SelfSubjectAccessReview",
    plural: "selfsubjectaccessreviews",
    review: "selfAccess",
  }),
  core({ ...REVIEW, kind: "SubjectAccessReview", plural: "subjectaccessreviews", review: "access" }),
  core({
    ...REVIEW,
    group: "authentication.k8s.io",
    kind: "SelfSubjectReview",
    plural: "selfsubjectreviews",
    review: "selfSubject",
  }),
];
