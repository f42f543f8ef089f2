import { TEMPLATE_SUFFIX } from "../../../shared/api/indexes.ts";
import { apiVersionOf, groupOf, type Kind, type KubeObject } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { valueAt } from "../../../shared/api/path.ts";
import { TEMPLATE_PATH } from "../../../shared/contract/machine-templates.ts";
import type { NewObject } from "../../../shared/function/define-function.ts";
import { type CloneSource, cloneFor, contentOf } from "../../../shared/rules/machines/clones.ts";
import { controllerOf, ownerReference } from "../../../shared/rules/metadata/owner-references.ts";

const MEDIK8S = "medik8s.io";
const NODE_NAME = "remediation.medik8s.io/node-name";

/**
 * Returns the request that asks an external controller to remediate a Machine, or why none can be made. It has the name
 * of the Machine, which is its only owner and does not control it.
 *
 * Differs: upstream creates any object that `spec.template` names, with the rights of its manager, and never finds it
 * again. Requests of Medik8s get the name of the Node, by which their controllers find it.
 */
export function requestFrom(
  machine: Machine,
  { template, kind }: CloneSource,
): NewObject | { readonly problem: string } {
  const named = `${template.kind} ${template.metadata.namespace ?? ""}/${template.metadata.name}`;
  if (template.kind !== `${kind.kind}${TEMPLATE_SUFFIX}`) {
    return { problem: `${named} is not a template; reference a kind that ends in ${TEMPLATE_SUFFIX}` };
  }
  if (consistsOf(machine, kind)) {
    return {
      problem: `${named} makes what Machines consist of, and no requests; reference the template of a remediation controller`,
    };
  }
  const content = contentOf(template);
  const identity = { apiVersion: apiVersionOf(kind), kind: kind.kind };
  for (const [field, wanted] of Object.entries(identity)) {
    const given = valueAt(content, field);
    if (given === undefined || given === wanted) continue;
    return { problem: `${TEMPLATE_PATH}.${field} of ${named} is not ${wanted}; leave it out` };
  }
  const clone = cloneFor(machine, { template, kind }, { labels: {}, annotations: {} });
  const { metadata } = clone.object;
  const annotations = { ...nodeNameOf(machine, kind.group), ...metadata.annotations };
  const ownerReferences = [ownerReference(Machine, machine)];
  return { ...clone, object: { ...clone.object, metadata: { ...metadata, annotations, ownerReferences } } };
}

function nodeNameOf({ status }: Machine, group: string): { readonly [key: string]: string } {
  const isMedik8s = group === MEDIK8S || group.endsWith(`.${MEDIK8S}`);
  return isMedik8s && status?.nodeRef !== undefined ? { [NODE_NAME]: status.nodeRef.name } : {};
}

/** Whether an object may be a request: no request has a controller, and all that a Machine consists of has one. */
export function mayBeRequest(object: KubeObject): boolean {
  return controllerOf(object) === undefined;
}

/** Whether the infrastructure machine or the config is of this kind. A snapshot may hold neither reference. */
function consistsOf({ spec }: Machine, { group, kind }: Pick<Kind, "group" | "kind">): boolean {
  const parts = [spec.infrastructureRef, spec.bootstrap?.configRef];
  return parts.some((part) => part?.apiGroup === group && part.kind === kind);
}

export type RequestOwner = "ours" | "former" | "part" | "foreign";

/**
 * Returns the owner of an object that has the kind and name of the request for a Machine. `ours`: it is left alone
 * while the Machine is unhealthy, and deleted when it is healthy, no matter who made it. `former`: it is of an earlier
 * Machine of that name; the garbage collector deletes it. `part`: Machines consist of its kind, and no controller has
 * taken it yet; to delete it would destroy what a Machine needs. `foreign`: all its owners are other objects than
 * Machines, or something controls it.
 * Differs: upstream deletes a request of any owner, also the infrastructure machines of healthy Machines, where
 * `templateRef` names their template.
 */
export function ownerOfRequest(request: KubeObject, machine: Machine): RequestOwner {
  if (consistsOf(machine, { group: groupOf(request.apiVersion), kind: request.kind })) return "part";
  if (!mayBeRequest(request)) return "foreign";
  const owners = request.metadata.ownerReferences ?? [];
  if (owners.length === 0) return "ours";
  const machines = owners.filter(
    ({ apiVersion, kind }) => kind === Machine.kind && apiVersion.startsWith(`${Machine.group}/`),
  );
  if (machines.length === 0) return "foreign";
  const isFormer = machines.some(
    ({ name, uid }) => name === machine.metadata.name && uid !== machine.metadata.uid,
  );
  return isFormer ? "former" : "ours";
}
