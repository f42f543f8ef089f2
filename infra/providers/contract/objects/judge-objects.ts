import {
  CLUSTER_GROUP,
  type ContractVersion,
  groupOf,
  type KubeObject,
  type ObjectKey,
  titleOf,
} from "../../../../shared/api/kinds.ts";
import { textAt } from "../../../../shared/api/path.ts";
import { contractRoleOf } from "../../../../shared/contract/rules/crd/contract-kinds.ts";
import type { Crd } from "../../../../shared/contract/rules/crd/subject.ts";
import { CLUSTER_SECRET_RULES, objectRulesOf } from "../../../../shared/contract/rules/objects/rules.ts";
import {
  type Around,
  isUnseen,
  type ObjectSubject,
  type ObjectType,
  type SecretFacts,
  type Unseen,
} from "../../../../shared/contract/rules/objects/subject.ts";
import { claimsOf } from "../../../../shared/contract/version.ts";
import type { CrdFacts } from "../../clusterctl/move/discovery-types.ts";
import type { Finding, Outcome } from "../finding.ts";
import { type Case, judge } from "../judge.ts";
import type { CrdOptions } from "../judge-crds.ts";
import type { InputDocument } from "../read-crd.ts";
import { withCheckedWaivers } from "../waivers.ts";
import { type GivenObject, givenObject, secretFacts, secretOf } from "./given-object.ts";
import { assumedFacts, lineagesOf, moveFacts } from "./lineages.ts";

/** Objects that belong together. */
interface ObjectsTogether {
  readonly objects: readonly GivenObject[];
  readonly secrets: readonly SecretFacts[];
  /** Why a Secret is not among them. */
  readonly unseenSecret: (key: ObjectKey) => Unseen;
  /** Why more objects of a kind may exist; undefined: these are all. */
  readonly partial: (type: ObjectType) => string | undefined;
  readonly unseenOwner: Unseen;
  readonly crds: readonly Crd[];
  /** Kinds that no contract reads and whose objects have to move all the same, by `<group>/<Kind>`. */
  readonly moved?: ReadonlySet<string> | undefined;
  /** The facts of every kind whose objects are among them. */
  readonly facts: readonly CrdFacts[];
}

export type ObjectOptions = Pick<CrdOptions, "named" | "assumed" | "waivers"> & { readonly now: Date };

/** Judges each object of a provider by the rules of its contract. */
export function judgeObjects(together: ObjectsTogether, options: ObjectOptions): readonly Finding[] {
  const around = aroundOf(together);
  const hasKubeconfig = ({ metadata }: KubeObject) =>
    !isUnseen(around.secret({ namespace: metadata.namespace ?? "", name: `${metadata.name}-kubeconfig` }));
  const hasControlPlane = (cluster: KubeObject) => {
    const textOf = (name: string) => textAt(cluster, `spec.controlPlaneRef.${name}`);
    const type = { group: textOf("apiGroup") || groupOf(textOf("apiVersion")), kind: textOf("kind") };
    return (
      around.objectsBy("metadata.name", type, cluster.metadata.namespace).with(textOf("name")).length > 0
    );
  };
  const crds = new Map(together.crds.map((crd) => [`${crd.group}/${crd.names.kind}`, crd]));
  return together.objects.flatMap(({ object, place }) => {
    const group = groupOf(object.apiVersion);
    const isCluster = object.kind === "Cluster" && group === CLUSTER_GROUP;
    const isAlone = isCluster && hasKubeconfig(object) && !hasControlPlane(object);
    const isMoved = together.moved?.has(`${group}/${object.kind}`) === true;
    if (!isAlone && !isMoved && !isOfProvider(object, options)) return [];
    const role = contractRoleOf(group, object.kind, options.named);
    const contract = contractFor(object, crds.get(`${group}/${object.kind}`), options.assumed);
    const one: Case<ObjectSubject> = {
      subject: { object, role, contract, now: options.now, around },
      place,
      contract,
    };
    return judge(isAlone ? CLUSTER_SECRET_RULES : objectRulesOf(role), [one], options.waivers);
  });
}

/** Whether providers bring a kind. */
export function isProviderType(
  { group, kind }: ObjectType,
  { named }: Pick<ObjectOptions, "named">,
): boolean {
  if (named.has(`${group}/${kind}`) || contractRoleOf(group, kind, named) !== undefined) return true;
  return group.split(".").some((label) => PROVIDER_GROUPS.has(label));
}

function isOfProvider({ apiVersion, kind }: KubeObject, options: Pick<ObjectOptions, "named">): boolean {
  return isProviderType({ group: groupOf(apiVersion), kind }, options);
}

const PROVIDER_GROUPS: ReadonlySet<string> = new Set(["infrastructure", "bootstrap", "controlplane"]);

/** The contract whose version the object is in, else the newest that its CRD claims. */
function contractFor(
  { apiVersion }: KubeObject,
  crd: Crd | undefined,
  assumed: ContractVersion,
): ContractVersion {
  const claims = crd === undefined ? [] : claimsOf(crd);
  const own = claims.find(({ version }) => apiVersion.endsWith(`/${version}`));
  return (own ?? claims[0])?.contract ?? assumed;
}

function aroundOf(together: ObjectsTogether): Around {
  const { secrets, objects, facts, unseenOwner } = together;
  const byKey = new Map(secrets.map((secret) => [keyOf(secret.metadata), secret]));
  const byType = Map.groupBy(objects, ({ object }) => `${groupOf(object.apiVersion)}/${object.kind}`);
  const places = new Map(objects.map(({ object, place }) => [object, place]));
  /** Each is made once, or rules on many objects would take the square of their time. */
  const indexes = new Map<string, Index>();
  return {
    secret: (key) => byKey.get(keyOf(key)) ?? together.unseenSecret(key),
    namespacesOfSecret: (name) =>
      secrets
        .filter(({ metadata }) => metadata.name === name)
        .map(({ metadata }) => metadata.namespace ?? ""),
    objectsBy(path, type, namespace) {
      const key = [type.group, type.kind, namespace, path].join(" ");
      const known =
        indexes.get(key) ?? indexOf(byType.get(`${type.group}/${type.kind}`) ?? [], path, namespace);
      indexes.set(key, known);
      return { with: (text) => known.get(text) ?? [], size: known.size, partial: together.partial(type) };
    },
    lineage: lineagesOf(
      objects.map(({ object }) => object),
      facts,
      unseenOwner,
    ),
    place: (object) => places.get(object) ?? { object: titleOf(object.kind, object.metadata) },
  };
}

type Index = ReadonlyMap<string, readonly KubeObject[]>;

function indexOf(objects: readonly GivenObject[], path: string, namespace: string | undefined): Index {
  const own = objects
    .map(({ object }) => object)
    .filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace);
  const index = Map.groupBy(own, (object) => textAt(object, path));
  index.delete("");
  return index;
}

function keyOf({
  namespace = "",
  name,
}: {
  readonly namespace?: string | undefined;
  readonly name: string;
}): string {
  return `${namespace}/${name}`;
}

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
