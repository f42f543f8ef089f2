import { clusterNameIn } from "../move/cluster-name.ts";
import { EVERY_CONTRACT, fail, type Judgement, na, pass, unknown } from "../rule.ts";
import type { Lineage, ObjectRule, ObjectSubject } from "./subject.ts";

/** The text of CTL-37, which is a rule on releases too. */
export const OWNER_CHAIN_TEXT = {
  id: "CTL-37",
  level: "MUST",
  artefact: "A3/A4",
  sentence:
    "Every object of the provider has an owner chain to a Cluster, or a label of move, and only owners that move",
  effect:
    "clusterctl move leaves the object behind; where one owner moves, it is deleted at the source with its infrastructure",
  source: "cmd/clusterctl/client/cluster/objectgraph.go",
} as const;

export const ownerChain: ObjectRule = {
  ...OWNER_CHAIN_TEXT,
  contracts: EVERY_CONTRACT,
  check: (subject) => judgeLineage(subject, subject.around.lineage(subject.object)),
};

const PATH = "metadata.ownerReferences";
const EXPECTED = "a chain of owners to a Cluster, each of a kind that moves, or a label of move";

function judgeLineage({ object, role }: ObjectSubject, { moves, owners }: Lineage): readonly Judgement[] {
  const unseen = owners.find((owner) => owner.unseen !== undefined && !owner.unseen.isAbsent);
  if (unseen?.unseen !== undefined)
    return [unknown(`owner ${unseen.title} ${unseen.unseen.why}`, { path: PATH })];
  const staying = owners.filter((owner) => !owner.moves);
  if (staying.length > 0) {
    const found = staying
      .map(({ title, unseen: gone }) => `owner ${title} ${gone?.why ?? "stays"}`)
      .join(", ");
    return [fail({ path: PATH, found, expected: EXPECTED })];
  }
  if (moves) return [pass()];
  if (clusterNameIn(object) === undefined)
    return [
      na(
        role?.isTemplate === true ? "nothing uses the template yet" : "the object belongs to no Cluster yet",
      ),
    ];
  return [fail({ path: PATH, found: "no owner", expected: EXPECTED })];
}
