import { type Rolling, shrinkReason } from "./rolling-update.ts";
import { countsOf, isResizable, plannedSize, type Size, type Sizes, sum, totalOf } from "./sizes.ts";

/**
 * Returns the sizes of a run with OnDelete: the current set takes the places of Machines that are gone, old sets follow
 * their Machines, and lose what is more than wanted, the oldest first.
 */
export function onDelete(rolling: Rolling): Sizes {
  const sizes = new Map<string, Size>();
  const { current, old, replicas } = rolling;
  const grown = placesFor(rolling);
  if (grown !== undefined) sizes.set(current.name, grown);
  let excess = Math.max(sum(old, (set) => set.replicas) + plannedSize(current, sizes) - replicas, 0);
  const resizable = old.filter(isResizable);
  for (const set of resizable) {
    const machines = countsOf(set).replicas;
    if (set.replicas <= machines) continue;
    sizes.set(set.name, { to: machines, why: "gone" });
    excess -= set.replicas - machines;
  }
  for (const set of resizable) {
    const size = plannedSize(set, sizes);
    const take = Math.min(size, excess);
    if (take <= 0) continue;
    sizes.set(set.name, { to: size - take, why: shrinkReason(replicas) });
    excess -= take;
  }
  return sizes;
}

function placesFor({ current, old, replicas }: Rolling): Size | undefined {
  if (!isResizable(current) || current.replicas === replicas) return undefined;
  if (current.replicas > replicas) return { to: replicas, why: shrinkReason(replicas) };
  const places = replicas - totalOf([current, ...old]);
  return places > 0 ? { to: current.replicas + places, why: "room" } : undefined;
}
