import { ACTIONS, LOOKING } from "../../console/access/viewers.ts";
import type { ResourceAttributes } from "../../worker/diagnostics/reviews.ts";
import { deploymentOf, HEALTH_PORT, type Manifest } from "../deployment.ts";
import { clusterRole, serviceAccount } from "../rbac.ts";
import { OWN_CLUSTER, type PolicyRule } from "../rights.ts";
import { boundRole, REVIEWS } from "./accounts.ts";
import { IMAGE, NAMESPACE, PART_OF, QUEUE, QUEUE_ENV, serviceOf } from "./deployments.ts";
import type { Folder } from "./kustomization.ts";
import { fromAnywhere } from "./network.ts";

/** Name of its Deployment, account, Service and Secret. */
const CONSOLE = "capstan-console";
const PORT = 9470;
const CERTIFICATE = "/etc/capstan/console";

/**
 * Returns the component of the console, which only reads, under an account that may ask about persons and nothing else
 * and as the Redis user `observer`; and one that adds actions, as the user `operator`.
 */
export function consoleComponents(): { readonly [name in "console" | "console-actions"]: Folder } {
  return {
    console: {
      kind: "Component",
      files: {
        console: [
          ...account(),
          deployment(),
          serviceOf(CONSOLE, { console: 443 }),
          fromAnywhere(CONSOLE, PORT),
        ],
        persons: [VIEWER, OPERATOR],
      },
    },
    "console-actions": {
      kind: "Component",
      files: {},
      patches: [{ target: { kind: "Deployment", name: CONSOLE }, patch: `${JSON.stringify(ACTING)}\n` }],
    },
  };
}

const ACTING = [
  { op: "add", path: "/spec/template/spec/containers/0/args/-", value: "--actions" },
  // The volumes follow `tmp`, in the order of `secrets` below.
  {
    op: "replace",
    path: "/spec/template/spec/volumes/1/secret/secretName",
    value: "capstan-operator-queue",
  },
];

/** Bound everywhere, also with `namespaced`: reviews are in no namespace. */
function account(): readonly Manifest[] {
  const role = clusterRole(CONSOLE, [...REVIEWS, OWN_CLUSTER]);
  return [serviceAccount(CONSOLE, NAMESPACE), ...boundRole({ name: CONSOLE }, "cluster", role)];
}

/** One process: sessions are in its memory. */
function deployment(): Manifest {
  return deploymentOf({
    app: CONSOLE,
    namespace: NAMESPACE,
    labels: { "app.kubernetes.io/component": "console", ...PART_OF },
    container: "console",
    image: IMAGE,
    args: [
      "console",
      `--address=:${PORT}`,
      // By `kubectl port-forward`, and in the cluster; an overlay adds the name of an ingress.
      `--host-name=localhost:${PORT}`,
      `--host-name=${CONSOLE}.${NAMESPACE}.svc`,
      `--console-cert-dir=${CERTIFICATE}`,
      `--health-address=:${HEALTH_PORT}`,
      "--log-level=info",
    ],
    env: QUEUE_ENV,
    ports: [{ name: "console", containerPort: PORT, protocol: "TCP" }],
    resources: { requests: { cpu: "50m", memory: "128Mi" }, limits: { memory: "512Mi" } },
    secrets: { [QUEUE]: "capstan-observer-queue", [CERTIFICATE]: CONSOLE },
    strategy: { type: "Recreate" },
  });
}

/** The role for persons: bound in a namespace it shows the Clusters there, bound everywhere all of them. */
const VIEWER = clusterRole("capstan-viewer", [ruleOf(LOOKING)]);
/** A function serves all namespaces, so only a binding everywhere allows to pause one. */
const OPERATOR = clusterRole("capstan-operator", [LOOKING, ...new Set(Object.values(ACTIONS))].map(ruleOf));

type Granted = Omit<ResourceAttributes, "verb"> & { readonly verb: PolicyRule["verbs"][number] };

function ruleOf({ group, resource, subresource, verb }: Granted): PolicyRule {
  const name = subresource === undefined ? resource : `${resource}/${subresource}`;
  return { apiGroups: [group], resources: [name], verbs: [verb] };
}
