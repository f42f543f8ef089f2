interface Limits {
  readonly maxNodes: number;
  readonly maxDepth: number;
}

interface Weight {
  readonly nodes: number;
  readonly depth: number;
}

/**
 * Returns whether values stay within limits once their aliases are written out: aliases of aliases double
 * with each line. Visits each collection once; one that holds itself is too deep.
 */
export function isWithin(values: readonly unknown[], limits: Limits): boolean {
  const known = new Map<object, Weight>();
  const weigh = (value: unknown, level: number): Weight => {
    if (typeof value !== "object" || value === null) return { nodes: 1, depth: 0 };
    const before = known.get(value);
    if (level + (before?.depth ?? 0) > limits.maxDepth) return TOO_MUCH;
    if (before !== undefined) return before;
    let nodes = 1;
    let depth = 0;
    for (const member of Object.values(value)) {
      const weight = weigh(member, level + 1);
      nodes += weight.nodes;
      depth = Math.max(depth, weight.depth + 1);
      if (nodes > limits.maxNodes) return TOO_MUCH;
    }
    known.set(value, { nodes, depth });
    return { nodes, depth };
  };
  return weigh(values, -1).nodes <= limits.maxNodes;
}

const TOO_MUCH: Weight = { nodes: Number.POSITIVE_INFINITY, depth: Number.POSITIVE_INFINITY };
