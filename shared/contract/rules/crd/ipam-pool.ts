import { pass, warn } from "../rule.ts";
import { book, type Check, type CrdRule, crdRule } from "./crd-rule.ts";
import { field } from "./fields.ts";

const BOOK = book("ipam");
const MOVE_LABELS = ["move-hierarchy", "move"].map((name) => `clusterctl.cluster.x-k8s.io/${name}`);

const moves: Check = ({ crd: { metadata } }) => {
  const label = MOVE_LABELS.find((name) => Object.hasOwn(metadata.labels, name));
  if (label !== undefined) return [pass({ path: `metadata.labels[${label}]` })];
  return [warn({ path: "metadata.labels", found: "absent", expected: MOVE_LABELS.join(" or ") })];
};

/** Rules on the CRD of a pool of addresses, by section 4A of the contract. */
export const IPAM_POOL: readonly CrdRule[] = [
  crdRule({
    id: "IP-13",
    level: "SHOULD",
    sentence: "`status.conditions` is a list",
    effect: "core never reads it; users cannot see why a pool gives no addresses",
    source: BOOK,
    check: field({ field: "status.conditions", type: "array of object", absent: "warn" }),
  }),
  crdRule({
    id: "IP-14",
    level: "SHOULD",
    sentence:
      "The CRD or its objects have the label `clusterctl.cluster.x-k8s.io/move-hierarchy` or `clusterctl.cluster.x-k8s.io/move`",
    effect:
      "`clusterctl move` leaves the pool behind; the label with the name of a Cluster, which the book asks for, moves nothing",
    source: "cmd/clusterctl/client/cluster/objectgraph.go",
    check: moves,
  }),
];
