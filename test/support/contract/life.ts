import type { KubeObject, ObjectMeta, OwnerReference } from "../../../shared/api/kinds.ts";
import type { ContractKindName } from "../../../shared/contract/rules/crd/contract-kinds.ts";
import { probeRulesOf } from "../../../shared/contract/rules/probe/checks.ts";
import {
  type Life,
  type ProbeSubject,
  type Snapshot,
  titleOf,
} from "../../../shared/contract/rules/probe/subject.ts";

/** A life that ended before its first step. */
const NO_LIFE: Life = {
  provisioned: new Map(),
  readyWithoutEndpoint: new Set(),
  scaled: [],
  pauses: [],
  labelled: new Map(),
  managed: undefined,
  claims: new Map(),
  templates: new Map(),
  wiped: undefined,
  left: undefined,
  outlived: new Map(),
  snapshots: [],
  seen: new Map(),
};

interface Judged extends Partial<Pick<ProbeSubject, "title" | "contract">> {
  readonly contractKind?: ContractKindName;
  readonly isTemplate?: boolean;
  readonly verdicts?: readonly string[];
}

/** `fail IMP-29` for each rule that a life breaks; with `verdicts` also others. */
export function said(
  life: Partial<Life>,
  {
    title = "FooPool p1",
    contract = "v1beta2",
    contractKind = "InfraMachinePool",
    isTemplate = false,
    verdicts = ["fail", "warn"],
  }: Judged = {},
): readonly string[] {
  const role = { contractKind, isTemplate };
  const subject = { title, role, contract, life: { ...NO_LIFE, ...life } };
  return probeRulesOf(role).flatMap(({ id, check }) =>
    check(subject).flatMap(({ verdict }) => (verdicts.includes(verdict) ? `${verdict} ${id}` : [])),
  );
}

/** Objects by their titles, as a look at the namespace finds them. */
export function at(...objects: readonly KubeObject[]): Snapshot {
  return new Map(objects.map((object) => [titleOf(object), object]));
}

const CLUSTER_LABEL = { "cluster.x-k8s.io/cluster-name": "c1" };

/** An object of a provider with the label of its Cluster; its uid is `<name>-uid`. */
export function foo(
  kind: string,
  name: string,
  {
    metadata = {},
    ...content
  }: { readonly metadata?: Partial<ObjectMeta>; readonly [member: string]: unknown },
): KubeObject {
  const common = { name, uid: `${name}-uid`, labels: CLUSTER_LABEL };
  const apiVersion = "infrastructure.cluster.x-k8s.io/v1";
  return { apiVersion, kind, metadata: { ...common, ...metadata }, ...content };
}

/** An object of core. */
export function core(kind: string, name: string, content: Parameters<typeof foo>[2] = {}): KubeObject {
  return { ...foo(kind, name, content), apiVersion: "cluster.x-k8s.io/v1beta2" };
}

/** A reference to an object of core or of a provider. */
export function owner({ apiVersion, kind, metadata }: KubeObject, controller = true): OwnerReference {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? "", controller };
}
