import * as z from "zod";
import { CLUSTER_NAME_LABEL } from "../indexes.ts";
import {
  EXPRESSIONS,
  labelSelectorSchema,
  mapList,
  notEmpty,
  templateMetadataSchema,
  text,
  type Validation,
  validations,
} from "../meta.ts";
import { machineSpecSchema, versionCountSchema } from "./machine-template.ts";

// Fields that a MachineSet and a MachineDeployment have alike.

export const replicasSchema = () =>
  z
    .int32()
    .meta(validations({ rule: "self >= 0", message: "replicas must not be negative" }))
    .optional();

/** How server-side apply and rules take the labels of the Machines. */
export const MACHINE_LABELS = { "x-kubernetes-map-type": "granular", ...validations(EXPRESSIONS) };

/**
 * Labels of the Machines.
 * Differs: not atomic, so that who adds the label of the Cluster takes the rest from no author, and a manifest that is
 * applied again conflicts with none.
 */
export const machineSelectorSchema = () => labelSelectorSchema().meta(MACHINE_LABELS);

export const workersTemplateSchema = () =>
  z.object({
    metadata: templateMetadataSchema().optional(),
    spec: machineSpecSchema()
      .meta(
        validations({
          rule: "!has(self.taints) || self.taints.all(t, t.key != 'node-role.kubernetes.io/control-plane')",
          message: "taints must not have the key node-role.kubernetes.io/control-plane on workers",
        }),
      )
      .describe("Template of every Machine."),
  });

export const machineNamingSchema = () =>
  notEmpty({
    template: text(1, 256)
      .meta(
        validations(
          {
            rule: "self.contains('{{ .random }}')",
            message: "template must contain {{ .random }}",
          },
          {
            // Differs: nothing else of Go's template language, and no machine gets a name by it here.
            rule: "self.matches('^([-a-z0-9.]|[{][{] *[.](cluster[.]name|machineSet[.]name|random) *[}][}])*$')",
            message:
              "template must have lower-case letters, digits, - and . only, and the variables {{ .cluster.name }}, {{ .machineSet.name }} and {{ .random }}",
          },
        ),
      )
      .optional()
      .describe(
        "Template of the names, with the variables .cluster.name, .machineSet.name and .random. Default {{ .machineSet.name }}-{{ .random }}.",
      ),
  })
    .optional()
    .describe("How new Machines are named.");

export const deletionOrderSchema = () =>
  notEmpty({
    order: z
      .enum(["Random", "Newest", "Oldest"])
      .optional()
      .describe("Which Machines go first when there are too many. Default Random."),
  })
    .optional()
    .describe("How Machines are chosen for deletion.");

/** The rule of a `spec` whose selector and template of Machines have labels; `selector` is how it says that one is there. */
export const matchingLabels = (selector: string): Validation => ({
  // The label of the Cluster is the guard's on both sides. The value with `in`, since comparing two texts without a limit
  // costs more than a rule may, as reading a path of four for each label does: `l` are the labels of the template, `s`
  // those of the selector.
  rule: `${selector}!has(self.selector.matchLabels) || [has(self.template.metadata) && has(self.template.metadata.labels) ? self.template.metadata.labels : {'': ''}].all(l, [self.selector.matchLabels].all(s, s.all(k, k == '${CLUSTER_NAME_LABEL}' || (k in l && s[k] in [l[k]]))))`,
  message: "selector.matchLabels does not match template.metadata.labels; set the same labels in both",
  fieldPath: ".selector",
});

export const workerCounters = () => ({
  selector: text(1, 4096).optional().describe("The selector as text, for the scale subresource."),
  replicas: z.int32().optional().describe("Its Machines, those that are being deleted too."),
  readyReplicas: z.int32().optional().describe("Machines that are Ready."),
  availableReplicas: z.int32().optional().describe("Machines that are Available."),
  upToDateReplicas: z.int32().optional().describe("Machines that are UpToDate."),
  versions: mapList(versionCountSchema(), ["version"], { min: 1, max: 100 })
    .optional()
    .describe("Kubernetes versions that the Machines run, 1 to 100."),
  observedGeneration: z.int().min(1).optional().describe("Generation of the spec that this status is about."),
});

/** Counters in the sense of v1beta1, which looks at Nodes. */
export const deprecatedWorkerCounters = () => ({
  readyReplicas: z.int32().optional().describe("Machines whose Node is Ready."),
  availableReplicas: z.int32().optional().describe("Machines whose Node has been Ready for minReadySeconds."),
});
