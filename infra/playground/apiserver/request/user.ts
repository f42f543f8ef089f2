/** One line of an allow list; `*` stands for everything in each member. */
export interface PermissionRule {
  readonly verbs: readonly string[];
  /** API groups; the core group is empty. Absent = the core group only. */
  readonly groups?: readonly string[];
  /** Plurals, with their subresource where there is one: `machinepools`, `machinepools/status`. */
  readonly resources: readonly string[];
  /** The namespaces; absent for all of them and the cluster scope. */
  readonly namespaces?: readonly string[];
  /** The names; absent for all objects, and collections. */
  readonly names?: readonly string[];
}

/** Who a token stands for. */
export interface User {
  readonly name: string;
  /** Permissions of the user on resources; absent = everything. */
  readonly allow?: readonly PermissionRule[];
}
