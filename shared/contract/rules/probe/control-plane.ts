import { CLUSTER_NAME_LABEL, CONTROL_PLANE_LABEL } from "../../../api/indexes.ts";
import type { KubeObject } from "../../../api/kinds.ts";
import { listAt, textAt, valueAt } from "../../../api/path.ts";
import { fail, type Judgement, na, orPass, unknown, warn } from "../rule.ts";
import { clusterIn, machinesOf } from "./life-views.ts";
import { type ProbeCheck, type ProbeSubject, titleOf } from "./subject.ts";

const WITHOUT_MACHINES = "the control plane has no Machines";

/** CP-23: each Machine has both labels, and the control plane as its controller. */
export const judgeMachineLabels: ProbeCheck = onMachines(({ title, life }, machines) => {
  const uid = life.provisioned.get(title)?.metadata.uid;
  return machines.flatMap((machine) => {
    const { labels = {}, ownerReferences = [] } = machine.metadata;
    const of = titleOf(machine);
    const wrong = (path: string, found: string, expected: string) => [
      fail({ path, found: `${of}: ${found}`, expected }),
    ];
    if (labels[CONTROL_PLANE_LABEL] !== "") {
      const path = `metadata.labels[${CONTROL_PLANE_LABEL}]`;
      return wrong(path, labels[CONTROL_PLANE_LABEL] ?? "absent", "an empty text");
    }
    if (labels[CLUSTER_NAME_LABEL] === undefined) {
      return wrong(`metadata.labels[${CLUSTER_NAME_LABEL}]`, "absent", "the name of the Cluster");
    }
    const controller = ownerReferences.find((owner) => owner.controller === true);
    if (controller?.uid === uid) return [];
    const found = controller === undefined ? "no controller" : `${controller.kind} ${controller.name}`;
    return wrong("metadata.ownerReferences", found, `${title} as controller`);
  });
});

/** CP-37: two Machines or more are not all in one of the domains for control planes. */
export const judgePlacement: ProbeCheck = onMachines(({ life }, machines) => {
  const domains = listAt(clusterIn(life.provisioned), "status.failureDomains").filter(
    (domain) => valueAt(domain, "controlPlane") === true,
  );
  if (domains.length < 2) return [na("the Cluster has less than two failure domains for control planes")];
  if (machines.length < 2) return [na("the control plane has one Machine")];
  const used = new Set(machines.map((machine) => textAt(machine, "spec.failureDomain")));
  if (used.size > 1) return [];
  const [domain = ""] = used;
  const found = `${machines.length} Machines in ${domain === "" ? "no failure domain" : domain}`;
  return [warn({ path: "spec.failureDomain", found, expected: `spread over ${domains.length}` })];
});

/** CP-38: a new label of the template reaches the Machines, and none is replaced. */
export const judgePropagation: ProbeCheck = ({ title, life }) => {
  const trial = life.labelled.get(title);
  if (trial === undefined) {
    const object = life.provisioned.get(title);
    if (object !== undefined && valueAt(object, "spec.machineTemplate") === undefined) {
      return [na("the control plane has no spec.machineTemplate")];
    }
    return [unknown("the control plane had no Machines, or the life ended before")];
  }
  const { key, before, after } = trial;
  const now = machinesOf(title, after);
  const uids = new Set(now.map(({ metadata }) => metadata.uid));
  const replaced = machinesOf(title, before).filter(({ metadata }) => !uids.has(metadata.uid));
  const unlabelled = now.filter(({ metadata }) => metadata.labels?.[key] === undefined);
  const path = `metadata.labels[${key}]`;
  return orPass([
    ...replaced.map((machine) =>
      fail({ path, found: `${titleOf(machine)} was replaced`, expected: "the same Machine" }),
    ),
    ...unlabelled.map((machine) =>
      fail({
        path,
        found: `${titleOf(machine)}: absent within the limit`,
        expected: "the label of the template",
      }),
    ),
  ]);
};

/** CP-39: Machines say whether they are up to date, and have the minReadySeconds of their template. */
export const judgeUpToDate: ProbeCheck = onMachines(({ title, contract, life }, machines) => {
  if (contract !== "v1beta2") return [na(`the contract ${contract} does not ask for it`)];
  const minReady = "spec.minReadySeconds";
  const wanted = valueAt(life.provisioned.get(title), `spec.machineTemplate.${minReady}`) ?? 0;
  return machines.flatMap((machine) => {
    const of = titleOf(machine);
    const path = "status.conditions[UpToDate]";
    if (valueAt(machine, path) === undefined)
      return [warn({ path, found: `${of}: absent`, expected: "True or False" })];
    const has = valueAt(machine, minReady) ?? 0;
    if (has === wanted) return [];
    return [warn({ path: minReady, found: `${of}: ${String(has)}`, expected: String(wanted) })];
  });
});

/** Judges the Machines that a control plane had once everything was provisioned. */
function onMachines(
  check: (subject: ProbeSubject, machines: readonly KubeObject[]) => readonly Judgement[],
): ProbeCheck {
  return (subject) => {
    const { title, life } = subject;
    if (!life.provisioned.has(title)) return [unknown("the life ended before")];
    const machines = machinesOf(title, life.provisioned);
    return machines.length === 0 ? [na(WITHOUT_MACHINES)] : orPass(check(subject, machines));
  };
}
