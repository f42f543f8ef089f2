import { warn } from "../rule.ts";
import { at, listed, MOVER, moveRule } from "./move-rule.ts";

/** Tries of one object, in minutes, at most. */
const MINUTES_EACH = 6;

export const notBlocked = moveRule(
  {
    id: "MV-10",
    level: "SHOULD",
    sentence: "No object of the move set carries the annotation block-move",
    effect: "clusterctl move waits for each such object in turn, and fails when one keeps it",
    source: `${MOVER}, waitReadyForMove`,
  },
  ({ objects }) => {
    const blocking = objects.filter(({ fate, blocksMove }) => blocksMove && fate !== "stays");
    const minutes = blocking.length * MINUTES_EACH;
    return blocking.map(({ title }) =>
      warn({
        ...at(title),
        path: "metadata.annotations[clusterctl.cluster.x-k8s.io/block-move]",
        found: `set; ${blocking.length} such objects wait up to ${minutes} minutes in all`,
        expected: "absent, or removed by its controller once the Cluster is paused",
      }),
    );
  },
);

export const oneCluster = moveRule(
  {
    id: "MV-11",
    level: "SHOULD",
    sentence: "One Cluster moves",
    effect: "clusterctl move takes every Cluster of the namespace together, or none",
    source: `${MOVER}, Move`,
  },
  (subject) => {
    const clusters = listed(subject, "Cluster").filter(({ fate }) => fate === "moves");
    if (clusters.length <= 1) return [];
    const names = clusters.slice(0, MAX_NAMES).map(({ name }) => name);
    const more = clusters.length > MAX_NAMES ? ` and ${clusters.length - MAX_NAMES} more` : "";
    const found = `${clusters.length} Clusters: ${names.join(", ")}${more}`;
    return [
      warn({ ...at(`Namespace ${subject.namespace}`), found, expected: "one Cluster in the namespace" }),
    ];
  },
);

const MAX_NAMES = 20;
