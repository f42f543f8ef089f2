import { CLUSTER_GROUP } from "../../../api/kinds.ts";
import { fail, type Judgement } from "../rule.ts";
import { at, listed, MOVER, moveRule } from "./move-rule.ts";
import type { ClusterState, MoveObject, MoveSubject } from "./subject.ts";

export const provisioned = moveRule(
  {
    id: "MV-03",
    level: "MUST",
    sentence:
      "Every Cluster has its infrastructure and an initialized control plane, and every Machine has a Node",
    effect: "clusterctl move refuses before it pauses a Cluster",
    source: `${MOVER}, checkProvisioningCompleted`,
  },
  (subject) => [
    ...listed(subject, "Cluster").flatMap(({ title, cluster }) =>
      cluster === undefined ? [] : unfinished(cluster).map((details) => fail({ ...at(title), ...details })),
    ),
    ...listed(subject, "Machine").flatMap(({ title, hasNode }) =>
      hasNode === true
        ? []
        : [
            fail({
              ...at(title),
              path: "status.nodeRef",
              found: "absent",
              expected: "the Node of the Machine",
            }),
          ],
    ),
    ...unreadableOwners(subject, ["Cluster", "Machine"]),
  ],
);

function unfinished(state: ClusterState): readonly Omit<Judgement, "verdict">[] {
  const { infrastructureProvisioned, controlPlaneCondition, hasControlPlaneRef } = state;
  const initialization = (field: string) => ({
    path: `status.initialization.${field}`,
    found: "not true",
    expected: "true",
  });
  return [
    ...(infrastructureProvisioned ? [] : [initialization("infrastructureProvisioned")]),
    ...(controlPlaneCondition === "True"
      ? []
      : [
          {
            path: "status.conditions[ControlPlaneInitialized].status",
            found: controlPlaneCondition ?? "absent",
            expected: "True",
          },
        ]),
    ...(hasControlPlaneRef && !state.controlPlaneInitialized
      ? [initialization("controlPlaneInitialized")]
      : []),
  ];
}

/**
 * clusterctl looks at every Cluster, Machine and ClusterClass of its graph by name, also at those that it knows from an
 * owner reference only, and has no namespace for them.
 */
export function unreadableOwners(subject: MoveSubject, kinds: readonly string[]): readonly Judgement[] {
  return subject.objects.flatMap((object) => (object.discovered ? unreadable(object, kinds) : []));
}

function unreadable({ title, owners }: MoveObject, kinds: readonly string[]): readonly Judgement[] {
  return owners
    .filter(({ virtual, kind, apiVersion }) => virtual && kinds.includes(kind) && isCore(apiVersion))
    .map(({ kind, name, uid, fate }) =>
      fail({
        ...at(title),
        path: "metadata.ownerReferences",
        found: `owner ${kind} ${name} with uid ${uid} ${fate === "unseen" ? "does not exist" : "is of a kind whose CRD lacks the label of clusterctl"}`,
        expected: "owners that exist and are listed; remove or correct the reference",
        effect: `clusterctl move reads that ${kind} without a namespace and stops with an error`,
      }),
    );
}

function isCore(apiVersion: string): boolean {
  return apiVersion.startsWith(`${CLUSTER_GROUP}/`);
}
