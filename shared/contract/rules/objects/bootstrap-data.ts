import { CLUSTER_NAME_LABEL } from "../../../api/indexes.ts";
import { groupOf, type KubeObject } from "../../../api/kinds.ts";
import { textAt } from "../../../api/path.ts";
import { bootstrapConfigPath } from "../../bootstrap-config.ts";
import { readBoolean } from "../../fields.ts";
import { fail, type Judgement, na, unknown, warn } from "../rule.ts";
import { judgeContent, judgeSought, missing, objectRule, type Sought } from "./judgements.ts";
import { isUnseen, type ObjectSubject, type SecretFacts } from "./subject.ts";

const BOOK = "https://cluster-api.sigs.k8s.io/developer/providers/contracts/bootstrap-config";

export const bootstrapSecret = objectRule({
  id: "BC-19",
  level: "MUST",
  sentence:
    "The Secret that `status.dataSecretName` names is in the same namespace, has the label `cluster.x-k8s.io/cluster-name`, the config as its controller, and a key `value` that is not empty",
  effect:
    "infrastructure providers read the bootstrap data by that name and key, and moves find the Secret by its owner",
  source: BOOK,
  check: (subject) => judgeSought(seek(subject), (secret) => judgeSecret(subject.object, secret)),
});

export const bootMark = objectRule({
  id: "BC-21",
  level: "MUST",
  sentence: "The bootstrap data create the file `/run/cluster-api/bootstrap-success.complete`",
  effect: "providers that watch for the file take the boot for failed",
  source: BOOK,
  check: (subject) => judgeContent(seek(subject), judgeMark),
});

const NAME_PATH = "status.dataSecretName";

function seek({ object, contract, around }: ObjectSubject): Sought {
  const flag = bootstrapConfigPath(contract, "dataSecretCreated");
  if (readBoolean(object, flag).value !== true) return { judgement: na(`${flag} is not true`) };
  const name = textAt(object, NAME_PATH);
  if (name === "") {
    return { judgement: fail({ path: NAME_PATH, found: "empty", expected: "the name of a Secret" }) };
  }
  const { namespace = "" } = object.metadata;
  const secret = around.secret({ namespace, name });
  if (!isUnseen(secret)) return { secret };
  const elsewhere = around.namespacesOfSecret(name);
  return { judgement: missing(secret, { namespace, name, elsewhere, path: NAME_PATH }) };
}

function judgeSecret(object: KubeObject, secret: SecretFacts): readonly Judgement[] {
  const { namespace = "", name, labels } = secret.metadata;
  const title = `Secret ${namespace}/${name}`;
  const wanted = object.metadata.labels?.[CLUSTER_NAME_LABEL];
  const label = labels?.[CLUSTER_NAME_LABEL] ?? "";
  const isLabelled = label !== "" && (wanted === undefined || label === wanted);
  const path = `metadata.labels[${CLUSTER_NAME_LABEL}]`;
  return [
    ...(isLabelled
      ? []
      : [
          fail({
            path,
            found: label === "" ? `${title} lacks it` : `${title}: ${label}`,
            expected: wanted ?? "the name of the Cluster",
          }),
        ]),
    ...(isControlledBy(secret, object)
      ? []
      : [
          fail({
            path: "metadata.ownerReferences",
            found: `${title} has another controller or none`,
            expected: `${object.kind} ${object.metadata.name} as controller`,
          }),
        ]),
    ...(secret.keys.get("value") === "filled"
      ? []
      : [
          fail({
            path: "data[value]",
            found: `${title}: the key is missing or empty`,
            expected: "the bootstrap data",
          }),
        ]),
  ];
}

/** Documents of a file have no uid. */
function isControlledBy({ metadata }: SecretFacts, { apiVersion, kind, metadata: own }: KubeObject): boolean {
  const controller = metadata.ownerReferences?.find((owner) => owner.controller === true);
  if (controller === undefined) return false;
  if (own.uid !== undefined && own.uid !== "") return controller.uid === own.uid;
  const sameKind = controller.kind === kind && groupOf(controller.apiVersion) === groupOf(apiVersion);
  return sameKind && controller.name === own.name;
}

function judgeMark({ keys, bootMark: mark }: SecretFacts): readonly Judgement[] {
  if (keys.get("value") !== "filled") return [na("the bootstrap data are missing")];
  if (mark === "there") return [];
  const expected = "a command that creates /run/cluster-api/bootstrap-success.complete";
  return mark === "missing"
    ? [warn({ path: "data[value]", found: "a text that does not name the file", expected })]
    : [
        unknown("the bootstrap data are compressed, encoded or too large to be searched", {
          path: "data[value]",
          expected,
        }),
      ];
}
