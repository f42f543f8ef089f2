/** Fields of a Cluster that clusterctl looks at before it moves it. */
export interface ClusterState {
  readonly paused: boolean;
  readonly infrastructureProvisioned: boolean;
  /** Status of the condition ControlPlaneInitialized. */
  readonly controlPlaneCondition: string | undefined;
  readonly hasControlPlaneRef: boolean;
  readonly controlPlaneInitialized: boolean;
  readonly hasTopology: boolean;
  readonly className: string | undefined;
  /** The namespace of the class; undefined: the Cluster's own. */
  readonly classNamespace: string | undefined;
}

/** A member of an object that names another object. */
export interface NamedReference {
  readonly path: string;
  /** The group; undefined: any. */
  readonly group: string | undefined;
  readonly kind: string;
  /** The namespace; undefined: that of the object which names it. */
  readonly namespace?: string | undefined;
  readonly name: string;
}

/**
 * The lot of an object in a move. `stays`: not in the move set. `unplaced`: in the set, but its owners are never all
 * created, so it is left behind without an error.
 */
export type Fate = "moves" | "stays" | "unplaced";

/** An owner, with its lot. */
export interface MoveOwner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  /** `unseen`: no object with that uid was found. */
  readonly fate: Fate | "unseen";
  /** It is removed from the source at the end. */
  readonly removed: boolean;
  /** clusterctl lists no object with that uid, but takes its kind and name from this reference. */
  readonly virtual: boolean;
  /** Whether it is linked by convention, without an owner reference. */
  readonly soft: boolean;
}

/** An object of the source. No value of a Secret is in it. */
export interface MoveObject {
  /** `Kind namespace/name`, `Kind name` where it has no namespace. */
  readonly title: string;
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly fate: Fate;
  /** It is removed from the source at the end: it moves, and nothing else there needs it. */
  readonly removed: boolean;
  /** Cluster-scoped, or below a cluster-scoped object: one on the target is kept as it is. */
  readonly global: boolean;
  /** clusterctl lists its kind. */
  readonly discovered: boolean;
  /** Its kind is not built into the API server. */
  readonly hasCrd: boolean;
  readonly owners: readonly MoveOwner[];
  readonly finalizers: readonly string[];
  /** The name of its Cluster from its label, else from its spec. */
  readonly clusterName: string | undefined;
  readonly blocksMove: boolean;
  readonly hasPausedAnnotation: boolean;
  readonly references: readonly NamedReference[];
  readonly cluster?: ClusterState | undefined;
  /** Whether the status of a Machine names a Node. */
  readonly hasNode?: boolean | undefined;
  /** The object of the same name on the target. */
  readonly onTarget: "absent" | "equal" | "other" | "unknown";
}

/** An entry of the inventory that `clusterctl init` writes. */
export interface InstalledProvider {
  readonly title: string;
  readonly namespace: string;
  readonly name: string;
  readonly providerName: string;
  readonly type: string;
  readonly version: string;
}

/** A kind of the move set. */
export interface MovedKind {
  readonly group: string;
  readonly kind: string;
  /** Version that the source stores. */
  readonly version: string;
  /** Built into every API server. */
  readonly builtIn: boolean;
}

/** A CRD of the target. */
export interface TargetCrd {
  readonly served: readonly string[];
  readonly storage: string | undefined;
  /** Carries the label without which clusterctl ignores its objects. */
  readonly discovered: boolean;
}

/** An object that only the target has. */
export interface TargetOnly {
  readonly title: string;
  readonly kind: string;
  readonly group: string;
  readonly clusterName: string | undefined;
  /** Whether a Cluster or ClusterClass is paused, by its field or annotation. */
  readonly paused: boolean;
}

export interface MoveTarget {
  readonly providers: readonly InstalledProvider[];
  /** The CRDs by `<group>/<Kind>`. */
  readonly crds: ReadonlyMap<string, TargetCrd>;
  readonly only: readonly TargetOnly[];
  /** Titles of Clusters that are not paused there. */
  readonly running: ReadonlySet<string>;
  /** Kinds whose objects could not be listed there. */
  readonly unread: readonly Unread[];
}

/** A list that the server refused: verb and resource of the missing right. */
export interface Unread {
  readonly resource: string;
  readonly reason: string;
}

/** The answer of the target that was asked to create an object without storing it. */
export interface Attempt {
  /** Where its namespace is not there: of the Namespace, once for all its objects. */
  readonly title: string;
  readonly outcome: "accepted" | "exists" | "refused" | "no namespace" | "gone";
  /** The message of a refusal, without values of a Secret. */
  readonly message?: string | undefined;
}

/** Everything that the rules of a move look at. */
export interface MoveSubject {
  readonly namespace: string;
  /** Everything that was read at the source, sorted by title. */
  readonly objects: readonly MoveObject[];
  /** Titles, in the order of creation; each group sorted. */
  readonly order: readonly (readonly string[])[];
  /** Kinds of the move set, sorted. */
  readonly kinds: readonly MovedKind[];
  readonly providers: readonly InstalledProvider[];
  /** Kinds of the source that are not part of a move and could not be listed. */
  readonly unread: readonly Unread[];
  /** The target; undefined: not given. */
  readonly target: MoveTarget | undefined;
  /** The attempts; undefined: not asked for. */
  readonly attempts: readonly Attempt[] | undefined;
}
