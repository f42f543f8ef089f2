import { groupOf } from "../../../../shared/api/kinds.ts";
import type { Crd } from "../../../../shared/contract/rules/crd/subject.ts";
import type { Unseen } from "../../../../shared/contract/rules/objects/subject.ts";
import { withCheckedWaivers } from "../checked-waivers.ts";
import type { InputDocument } from "../documents.ts";
import type { Outcome } from "../finding.ts";
import { givenObject, secretOf } from "./given-object.ts";
import { isOfProvider, judgeObjects, type ObjectOptions } from "./judge-objects.ts";
import { assumedFacts, moveFacts } from "./lineages.ts";
import { secretFacts } from "./secret-facts.ts";

const UNSEEN: Unseen = { why: "is not among the documents", isAbsent: false };

/** Judges the objects of providers among documents, which belong together. A missing object proves nothing. */
export function judgeDocumentObjects(
  documents: readonly InputDocument[],
  crds: readonly Crd[],
  options: ObjectOptions,
): Pick<Outcome, "findings" | "problems"> {
  const read = documents.flatMap(({ value, ...at }) => givenObject(value, at) ?? []);
  const checked = read.map((one) => (isOfProvider(one.object, options) ? withCheckedWaivers(one) : { one }));
  const given = checked.map(({ one }) => one);
  const isSecret = ({ object }: (typeof given)[number]) =>
    object.kind === "Secret" && groupOf(object.apiVersion) === "";
  const objects = given.filter((one) => !isSecret(one));
  const facts = crds.map(moveFacts);
  const findings = judgeObjects(
    {
      objects,
      secrets: given.filter(isSecret).map(({ object }) => secretFacts(secretOf(object))),
      unseenSecret: () => UNSEEN,
      partial: ({ kind }) => `more objects of kind ${kind} may exist, which are not among the documents`,
      unseenOwner: UNSEEN,
      crds,
      facts: [
        ...facts,
        ...assumedFacts(
          objects.map(({ object }) => object),
          facts,
        ),
      ],
    },
    options,
  );
  return { findings, problems: checked.flatMap(({ problem }) => problem ?? []) };
}

/** Whether a document is an object that rules judge. */
export function isJudgedDocument({ value }: InputDocument, options: Pick<ObjectOptions, "named">): boolean {
  const given = givenObject(value);
  if (given === undefined) return false;
  const { kind, apiVersion, metadata } = given.object;
  const isKubeconfig =
    kind === "Secret" && groupOf(apiVersion) === "" && metadata.name.endsWith("-kubeconfig");
  return isKubeconfig || isOfProvider(given.object, options);
}
