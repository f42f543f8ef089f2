import { CustomResourceDefinition, Secret } from "../../../shared/api/core.ts";
import { OLDER } from "../../../shared/api/older/table.ts";
import { KINDS } from "../../../shared/api/registry.ts";
import { deploymentOf, HEALTH_PORT, type Manifest } from "../deployment.ts";
import { clusterRole, roleOf, serviceAccount } from "../rbac.ts";
import { boundRole } from "./accounts.ts";
import { disruptionBudget, IMAGE, onDifferentNodes, serviceOf } from "./deployments.ts";
import type { Folder } from "./kustomization.ts";
import { fromAnywhere } from "./network.ts";
import { NAMESPACE, PART_OF } from "./processes.ts";

/** Name of its Deployment, account and Service; `capstan webhook` names this Service to the API server. */
const WEBHOOK = "capstan-webhook";
const PORT = 9443;

/**
 * Returns the component of the conversion webhook. The addresses of API servers are known to the operator only, so its
 * NetworkPolicy lets in any: it answers a review by what is in the review.
 */
export function webhookComponent(): Folder {
  return {
    kind: "Component",
    files: {
      webhook: [
        ...account(),
        deployment(),
        disruptionBudget({ name: WEBHOOK }),
        serviceOf(WEBHOOK, "webhook", 443),
        fromAnywhere(WEBHOOK, PORT),
      ],
    },
  };
}

/** It patches our definitions with older versions only, and reads no Secret but its own authority. Source: S-05 */
function account(): readonly Manifest[] {
  const older = KINDS.filter(({ group, kind }) => OLDER.has(`${group}/${kind}`));
  const resourceNames = older.map(({ plural, group }) => `${plural}.${group}`);
  const [definitions, secrets] = [on(CustomResourceDefinition), on(Secret)];
  const role = clusterRole(WEBHOOK, [
    { ...definitions, verbs: ["list"] },
    { ...definitions, resourceNames, verbs: ["get", "patch"] },
  ]);
  return [
    serviceAccount(WEBHOOK, NAMESPACE),
    ...boundRole({ name: WEBHOOK }, "cluster", role),
    ...roleOf(WEBHOOK, NAMESPACE, [
      // RBAC knows no name of an object that is not there yet.
      { ...secrets, verbs: ["create"] },
      { ...secrets, resourceNames: ["capstan-webhook-ca"], verbs: ["get"] },
    ]),
  ];
}

function on({ group, plural }: { readonly group: string; readonly plural: string }) {
  return { apiGroups: [group], resources: [plural] };
}

/** Two, so that the API server always finds one. */
function deployment(): Manifest {
  return deploymentOf({
    app: WEBHOOK,
    namespace: NAMESPACE,
    labels: { "app.kubernetes.io/component": "webhook", ...PART_OF },
    container: "webhook",
    image: IMAGE,
    replicas: { replicas: 2 },
    args: ["webhook", `--address=:${PORT}`, `--health-address=:${HEALTH_PORT}`, "--log-level=info"],
    env: [],
    ports: [{ name: "webhook", containerPort: PORT, protocol: "TCP" }],
    resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "512Mi" } },
    pod: { topologySpreadConstraints: [onDifferentNodes(WEBHOOK)] },
  });
}
