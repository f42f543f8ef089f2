import { CLUSTER_NAME_LABEL, CONTROL_PLANE_LABEL } from "../../../shared/api/indexes.ts";
import { PREFLIGHT_CHECKS, SKIP_PREFLIGHT } from "../../../shared/rules/machines/annotations.ts";
import { MAX_SIZE, MIN_SIZE } from "../../../shared/rules/machines/node-group-size.ts";
import type { Manifest } from "../deployment.ts";
import { clusterRole } from "../rbac.ts";
import { processAccount } from "./accounts.ts";
import {
  diagnosticsService,
  disruptionBudget,
  NAMESPACE,
  PART_OF,
  PRIORITIES,
  processDeployment,
  type ServerProcess,
  serverProcesses,
} from "./deployments.ts";
import type { Folder } from "./kustomization.ts";
import { networkPolicies } from "./network.ts";
import { redis } from "./redis.ts";
import { WEBHOOK, webhook } from "./webhook.ts";

const ANNOTATIONS = "object.metadata.?annotations";
const [SKIP, MIN, MAX] = [SKIP_PREFLIGHT, MIN_SIZE, MAX_SIZE].map((key) => `${ANNOTATIONS}[?'${key}']`);
const [LABELS, SELECTOR] = ["object.spec.?template.metadata.labels", "object.spec.?selector.matchLabels"];
const EXPRESSIONS = "object.spec.?selector.matchExpressions";

/**
 * Rules of Cluster API's webhooks that read what no rule of a CustomResourceDefinition sees, or can pay for: what each
 * reads, the rule, and the message.
 */
const RULES: readonly (readonly [reads: string, rule: string, message: string])[] = [
  [
    "[object.spec.?taints]",
    `'${CONTROL_PLANE_LABEL}' in object.metadata.?labels.orValue({}) || object.spec.?taints.orValue([]).all(t, t.key != 'node-role.kubernetes.io/control-plane')`,
    "spec.taints must not have the key node-role.kubernetes.io/control-plane on workers",
  ],
  [
    `[${SKIP}]`,
    `${SKIP}.orValue('') == '' || ${SKIP}.value().split(',').all(c, c.trim() in ${JSON.stringify(PREFLIGHT_CHECKS)})`,
    `the annotation ${SKIP_PREFLIGHT} must be a comma list of ${PREFLIGHT_CHECKS.join(", ")}`,
  ],
  [
    `[object.spec.?replicas, ${MIN}, ${MAX}]`,
    `has(object.spec.replicas) || !${MIN}.hasValue() || !${MAX}.hasValue() || [${MIN}, ${MAX}].all(n, n.value().matches('^[0-9]{1,9}$'))`,
    `without spec.replicas the annotations ${MIN_SIZE} and ${MAX_SIZE} must be counts`,
  ],
  [
    `[${LABELS}, ${SELECTOR}]`,
    `[${LABELS}.orValue({}), ${SELECTOR}.orValue({})].all(m, m == null || m.all(k, !format.qualifiedName().validate(k).hasValue()))`,
    "keys of labels of the template and of the selector must be such as example.com/name",
  ],
  [
    `[${LABELS}, ${EXPRESSIONS}]`,
    `${EXPRESSIONS}.orValue([]).all(e, e.key == '${CLUSTER_NAME_LABEL}' || (e.operator in ['In', 'Exists']) == (e.key in ${LABELS}.orValue({}) && (!(e.operator in ['In', 'NotIn']) || ${LABELS}.orValue({})[e.key] in e.values)))`,
    "spec.selector.matchExpressions must match the labels of the template",
  ],
];

/** Returns what admits Machines and what makes them. A rule is asked when what it reads has changed: older objects can be let go. */
export function admissionPolicy(namespace: string): readonly Manifest[] {
  const [apiVersion, kind] = ["admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy"];
  const metadata = { name: `${namespace}-admission` };
  const on = {
    apiGroups: ["cluster.x-k8s.io"],
    apiVersions: ["v1beta2"],
    operations: ["CREATE", "UPDATE"],
    resources: ["machines", "machinesets", "machinedeployments", "machinepools"],
  };
  const validations = RULES.map(([reads, rule, message]) => ({
    expression: `(oldObject != null && ${reads} == ${reads.replaceAll("object.", "oldObject.")}) || ${rule}`,
    message,
  }));
  // A mistake in it must not stop every write.
  const spec = { failurePolicy: "Ignore", matchConstraints: { resourceRules: [on] }, validations };
  const binding = { policyName: metadata.name, validationActions: ["Deny"] };
  return [
    { apiVersion, kind, metadata, spec },
    { apiVersion, kind: `${kind}Binding`, metadata, spec: binding },
  ];
}

const RESTRICTED = Object.fromEntries(
  ["enforce", "audit", "warn"].map((mode) => [`pod-security.kubernetes.io/${mode}`, "restricted"]),
);

/** Returns the base: the whole of a deployment but CustomResourceDefinitions and Secrets. */
export async function base(): Promise<Folder> {
  const processes = await serverProcesses();
  const metadata = { name: NAMESPACE, labels: { ...PART_OF, ...RESTRICTED } };
  return {
    kind: "Kustomization",
    files: {
      namespace: [{ apiVersion: "v1", kind: "Namespace", metadata }],
      ...filesOf(processes),
      admission: admissionPolicy(NAMESPACE),
      diagnostics: [DIAGNOSTICS_READER],
      network: networkPolicies(),
      priorities: PRIORITIES,
      redis: redis(),
      [WEBHOOK]: webhook(),
    },
  };
}

/** Returns a file for each process, with everything that it needs for itself. */
export function filesOf(processes: readonly ServerProcess[]): Folder["files"] {
  return Object.fromEntries(
    processes.map((process) => [
      process.name,
      [
        ...processAccount(process),
        processDeployment(process),
        disruptionBudget(process),
        diagnosticsService(process),
      ],
    ]),
  );
}

/** Lets its holder read the diagnostics: for the account of Prometheus or of an autoscaler. */
const DIAGNOSTICS_READER: Manifest = {
  ...clusterRole("capstan-diagnostics-reader", []),
  rules: [{ nonResourceURLs: ["/keys", "/metrics", "/scale", "/status"], verbs: ["get"] }],
};
