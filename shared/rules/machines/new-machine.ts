import { apiVersionOf, type ContractReference, MANAGEMENT, type OwnerReference } from "../../api/kinds.ts";
import { MACHINE_FINALIZER, Machine } from "../../api/machine/machine.ts";
import { NODE_DELETION_TIMEOUT_SECONDS } from "../../api/machine/machine-template.ts";
import type { NewObject } from "../../function/define-function.ts";
import { cloneReference } from "./clones.ts";
import { TEMPLATE_KEYS, type TemplateMetadata, trackerOf } from "./template-keys.ts";
import { prefixedVersion } from "./versions.ts";

/** The Machine to be made, beside its name. */
export interface MachineDesign {
  readonly namespace: string;
  readonly controller: OwnerReference;
  readonly metadata: TemplateMetadata;
  /** Labels and annotations of `metadata`, and fields of the spec, that the template gives; for the tracker. */
  readonly keys: readonly string[];
  /** The template's spec: its references name templates. */
  readonly spec: Machine["spec"];
}

/** Returns a Machine whose references name the clones of the templates, under its own name, with its version as admission writes it. */
export function newMachine(name: string, design: MachineDesign): NewObject & { readonly object: Machine } {
  const { namespace, controller, metadata, keys, spec } = design;
  const tracker = trackerOf(keys);
  const annotations = {
    ...metadata.annotations,
    ...(tracker === undefined ? {} : { [TEMPLATE_KEYS]: tracker }),
  };
  const object: Machine = {
    apiVersion: apiVersionOf(Machine),
    kind: Machine.kind,
    metadata: {
      name,
      namespace,
      labels: metadata.labels,
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      finalizers: [MACHINE_FINALIZER],
      ownerReferences: [controller],
    },
    spec: {
      ...spec,
      ...(spec.version === undefined ? {} : { version: prefixedVersion(spec.version) }),
      bootstrap: bootstrapOf(spec, name),
      infrastructureRef: cloneReference(spec.infrastructureRef, name),
      deletion: { nodeDeletionTimeoutSeconds: NODE_DELETION_TIMEOUT_SECONDS, ...spec.deletion },
    },
  };
  return { cluster: MANAGEMENT, kind: Machine, object };
}

function bootstrapOf({ bootstrap }: Machine["spec"], name: string): Machine["spec"]["bootstrap"] {
  const { configRef } = bootstrap;
  return configRef === undefined
    ? bootstrap
    : { ...bootstrap, configRef: cloneReference(configRef satisfies ContractReference, name) };
}
