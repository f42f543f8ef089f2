import { CustomResourceDefinition, Secret } from "../../../shared/api/core.ts";
import { OLDER_KINDS } from "../../worker/webhook/definitions.ts";
import {
  type Beside,
  deploymentOf,
  HEALTH_PORT,
  type Manifest,
  type Process,
  replicasOf,
  variable,
} from "../deployment.ts";
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
const PORT = { name: "webhook", containerPort: 9443, protocol: "TCP" };
const ARGS = ["webhook", `--address=:${PORT.containerPort}`];

/**
 * Returns the conversion webhook. The addresses of API servers are known to the operator only, so its NetworkPolicy lets in
 * any: it answers a review by what is in the review.
 */
export function webhook(): readonly Manifest[] {
  const diagnostics = clusterRole(`${WEBHOOK}-diagnostics`, REVIEWS);
  return [
    ...account(),
    ...boundRole({ name: WEBHOOK }, "diagnostics", diagnostics),
    deployment({
      args: [...ARGS, ...LISTENING],
      ports: [PORT, SCRAPED.port],
      secrets: SCRAPED.secrets,
      pod: { priorityClassName: "capstan-worker", topologySpreadConstraints: [onDifferentNodes(WEBHOOK)] },
    }),
    disruptionBudget({ name: WEBHOOK }),
    serviceOf(WEBHOOK, { webhook: 443, diagnostics: DIAGNOSTICS_PORT }),
    fromAnywhere(WEBHOOK, PORT.containerPort),
  ];
}

/** Returns the same as a part of clusterctl's core provider; `CAPSTAN_WEBHOOK_REPLICAS=0` leaves it out. */
export const OF_CORE: Beside = {
  account: [...account(), serviceOf(WEBHOOK, { webhook: 443 })],
  deployment: (image) => {
    const level = variable("CAPSTAN_LOG_LEVEL", "info");
    const args = [...ARGS, `--health-address=:${HEALTH_PORT}`, `--log-level=${level}`];
    const replicas = replicasOf("CAPSTAN_WEBHOOK_REPLICAS", 2);
    return deployment({ image, replicas, args });
  },
};

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
  const role = clusterRole(`${NAMESPACE}-webhook`, [
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
function deployment(own: Partial<Process>): Manifest {
  return deploymentOf({
    app: WEBHOOK,
    namespace: NAMESPACE,
    labels: { "app.kubernetes.io/component": "webhook", ...PART_OF },
    container: "webhook",
    image: IMAGE,
    replicas: { replicas: 2 },
    args: ARGS,
    env: [],
    ports: [PORT],
    resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "512Mi" } },
    ...own,
  });
}
