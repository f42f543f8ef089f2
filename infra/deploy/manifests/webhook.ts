import { CustomResourceDefinition, Secret } from "../../../shared/api/core.ts";
import { OLDER_KINDS } from "../../worker/webhook/definitions.ts";
import { deploymentOf, type Manifest } from "../deployment.ts";
import { clusterRole, roleOf, serviceAccount } from "../rbac.ts";
import { boundRole, REVIEWS } from "./accounts.ts";
import {
  DIAGNOSTICS_PORT,
  disruptionBudget,
  IMAGE,
  LISTENING,
  NAMESPACE,
  onDifferentNodes,
  PART_OF,
  SCRAPED,
  serviceOf,
} from "./deployments.ts";
import { type Folder, without } from "./kustomization.ts";
import { fromAnywhere } from "./network.ts";

/** Name of its Deployment, account and Service; `capstan webhook` names this Service to the API server. */
export const WEBHOOK = "capstan-webhook";
const PORT = 9443;

/**
 * Returns the conversion webhook. The addresses of API servers are known to the operator only, so its NetworkPolicy lets in
 * any: it answers a review by what is in the review.
 */
export function webhook(): readonly Manifest[] {
  return [
    ...account(),
    deployment(),
    disruptionBudget({ name: WEBHOOK }),
    serviceOf(WEBHOOK, { webhook: 443, diagnostics: DIAGNOSTICS_PORT }),
    fromAnywhere(WEBHOOK, PORT),
  ];
}

/** Returns the component that leaves it out: v1beta2 alone is served then, and no write costs a conversion. */
export function withoutWebhook(): Folder {
  return {
    kind: "Component",
    files: {},
    patches: webhook().map(({ apiVersion, kind, metadata: { name } }) => without(apiVersion, { kind, name })),
  };
}

/** It patches our definitions with older versions only, and reads no Secret but its own authority. Source: S-05 */
function account(): readonly Manifest[] {
  const resourceNames = OLDER_KINDS.map(({ plural, group }) => `${plural}.${group}`);
  const [definitions, secrets] = [on(CustomResourceDefinition), on(Secret)];
  const role = clusterRole(WEBHOOK, [
    { ...definitions, verbs: ["list"] },
    { ...definitions, resourceNames, verbs: ["get", "patch"] },
  ]);
  return [
    serviceAccount(WEBHOOK, NAMESPACE),
    ...boundRole({ name: WEBHOOK }, "cluster", role),
    ...boundRole({ name: WEBHOOK }, "diagnostics", clusterRole(`${WEBHOOK}-diagnostics`, REVIEWS)),
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
    args: ["webhook", `--address=:${PORT}`, ...LISTENING],
    env: [],
    ports: [{ name: "webhook", containerPort: PORT, protocol: "TCP" }, SCRAPED.port],
    resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "512Mi" } },
    secrets: SCRAPED.secrets,
    pod: { priorityClassName: "capstan-worker", topologySpreadConstraints: [onDifferentNodes(WEBHOOK)] },
  });
}
