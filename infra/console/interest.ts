/** Names that hints have given since the last look. */
export interface Changed {
  /** Hints may be missing, or there were too many. */
  readonly isGap: boolean;
  readonly fleet: boolean;
  /** Functions. */
  readonly keysOf: ReadonlySet<string>;
  readonly lettersOf: ReadonlySet<string>;
  /** `NAMESPACE/NAME` of the Clusters of keys and of workload objects. */
  readonly clusters: ReadonlySet<string>;
  /** `NAMESPACE/NAME`. */
  readonly objects: ReadonlySet<string>;
}

export function isEmpty({ isGap, fleet, ...names }: Changed): boolean {
  return !isGap && !fleet && Object.values(names).every(({ size }) => size === 0);
}

/** Which changes make an answer old. Hints may be lost, so every answer also grows old by time. */
export interface Interest {
  /** Functions whose keys it shows. */
  readonly keysOf?: "all" | readonly string[];
  /** Functions whose dead letters it shows. */
  readonly lettersOf?: "all" | readonly string[];
  /** `NAMESPACE/NAME` of Clusters: all keys and workload objects of theirs. */
  readonly clusters?: readonly string[];
  /** `NAMESPACE/NAME` of objects, of whatever kind: their snapshots and keys. */
  readonly objects?: readonly string[];
  readonly fleet?: true;
  /** It is read again after so long in any case. Default: a minute. */
  readonly everyMs?: number;
}

/** Whether one of these changes makes such an answer old. */
export function concerns(changed: Changed, interest: Interest): boolean {
  const { keysOf = [], lettersOf = [], clusters = [], objects = [], fleet = false } = interest;
  return (
    changed.isGap ||
    (fleet && changed.fleet) ||
    touches(changed.keysOf, keysOf) ||
    touches(changed.lettersOf, lettersOf) ||
    touches(changed.clusters, clusters) ||
    touches(changed.objects, objects)
  );
}

function touches(changed: ReadonlySet<string>, wanted: "all" | readonly string[]): boolean {
  if (changed.size === 0) return false;
  return wanted === "all" || wanted.some((name) => changed.has(name));
}
